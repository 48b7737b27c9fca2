import {
  ANY_PROGRAM,
  type CompiledForm,
  type FormPart,
  OPTION_NAMES,
  type OptionPattern,
  optionName,
  splitOnce,
} from './danger-table.js';

/** Values that switch a boolean option off: `--insecure=false` is no danger. */
const OFF = /^(?:false|0|no|off|never)$/i;
/** An abbreviated long option has at least this many characters, and this share of the whole name. */
const ABBREVIATION = { characters: 4, share: 0.6 } as const;
const LONGEST_BUNDLE = 7;
const SHOWN_CHARACTERS = 80;

/** One program with its arguments, as plain words. */
export interface Invocation {
  readonly program: string;
  readonly words: readonly string[];
}

/**
 * Returns the words of the invocation that match the form, or undefined if a part does not occur. `isProse`: the words
 * may be a sentence, so that operands must stand right after the program.
 */
export function matchForm({ words }: Invocation, form: CompiledForm, isProse: boolean): string | undefined {
  const { operands, options, names } = readWords(words);
  const matched: string[] = [];
  let at = 0;
  for (const part of form.parts) {
    if (part.kind === 'option') {
      const found = canOccur(names, part, form) ? firstOption(options, part, form) : undefined;
      if (found === undefined) return undefined;
      matched.push(found);
      continue;
    }
    const found = operands.findIndex((operand, index) => index >= at && matchesOperand(operand, part));
    if (found < 0 || (isProse && part.kind === 'operand' && found !== at)) return undefined;
    matched.push(operands[found] ?? '');
    at = found + 1;
  }
  return matched.map((word) => word.slice(0, SHOWN_CHARACTERS)).join(' ');
}

const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-');

function matchesOperand(operand: string, part: Exclude<FormPart, { kind: 'option' }>): boolean {
  return part.kind === 'operand' ? part.names.has(operand.toLowerCase()) : part.pattern.test(operand);
}

/** An option of an invocation: as it is written, its name as it is compared, and the word after it. */
interface ReadOption {
  readonly word: string;
  readonly name: string;
  readonly next: string | undefined;
}

interface ReadWords {
  readonly operands: readonly string[];
  readonly options: readonly ReadOption[];
  readonly names: ReadonlySet<string>;
}

/** An invocation is compared with hundreds of forms. */
const READ = new WeakMap<readonly string[], ReadWords>();

function readWords(words: readonly string[]): ReadWords {
  const known = READ.get(words);
  if (known) return known;
  const options = words.flatMap((word, at) =>
    isOption(word) ? [{ word, name: optionName(splitOnce(word)[0]), next: words[at + 1] }] : [],
  );
  const read = {
    operands: words.filter((word) => !isOption(word)),
    options,
    names: new Set(options.map(({ name }) => name)),
  };
  READ.set(words, read);
  return read;
}

/** False if no option of the invocation has one of the names, which for the general switches are never abbreviated. */
function canOccur(names: ReadonlySet<string>, { options }: OptionPart, { program }: CompiledForm): boolean {
  if (program !== ANY_PROGRAM) return names.size > 0;
  return options.some(({ kind, name, pattern }) => kind !== 'long' || pattern !== undefined || names.has(name));
}

function firstOption(read: readonly ReadOption[], part: OptionPart, form: CompiledForm): string | undefined {
  for (const one of read)
    for (const option of part.options) {
      const matched = matchOption(one, option, part.value, form);
      if (matched !== undefined) return matched;
    }
  return undefined;
}

type OptionPart = Extract<FormPart, { kind: 'option' }>;

/** The option as it was written, with its value only if the value makes it dangerous: others may be secrets. */
function matchOption(
  read: ReadOption,
  option: OptionPattern,
  value: RegExp | undefined,
  form: CompiledForm,
): string | undefined {
  const found = attachedValue(read, option, form);
  if (found === undefined) return undefined;
  const { word, next } = read;
  const { attached } = found;
  const name = option.kind === 'short' ? `-${option.name}` : (splitOnce(word)[0] ?? '');
  if (value === undefined) return attached === undefined || !OFF.test(attached) ? name : undefined;
  const text = attached ?? next;
  return text !== undefined && (value.test(text) || isPlaceholder(text)) ? `${name} ${text}` : undefined;
}

/** A removed value could have been the dangerous one. */
const isPlaceholder = (text: string): boolean => /^\[(?:value|code|text|REDACTED:[a-z0-9-]{1,64})\]$/.test(text);

/** The value that is attached to the option in this word; undefined if the word is another option. */
function attachedValue(
  { word, name: readName }: ReadOption,
  option: OptionPattern,
  { program, valued, hasSingleHyphen }: CompiledForm,
): { attached: string | undefined } | undefined {
  if (option.kind === 'exact') {
    const [name, attached] = splitOnce(word);
    return name === option.name ? { attached } : undefined;
  }
  if (option.kind === 'long') {
    if (!word.startsWith('--') && !hasSingleHyphen) return undefined;
    return isNamed(readName, option, program !== ANY_PROGRAM) ? { attached: splitOnce(word)[1] } : undefined;
  }
  if (word.startsWith('--')) return undefined;
  if (hasSingleHyphen) return word === `-${option.name}` ? { attached: undefined } : undefined;
  const at = bundledAt(word, option.name, valued);
  if (at < 0) return undefined;
  const rest = word.slice(at + 1).replace(/^=/, '');
  return { attached: rest === '' ? undefined : rest };
}

function isNamed(name: string, { name: wanted, pattern }: OptionPattern, abbreviates: boolean): boolean {
  if (name === wanted || pattern?.test(name) === true) return true;
  const { characters, share } = ABBREVIATION;
  return (
    abbreviates &&
    pattern === undefined &&
    !OPTION_NAMES.has(name) &&
    name.length >= characters &&
    name.length >= share * wanted.length &&
    wanted.startsWith(name)
  );
}

/** The position of a letter in a bundle of short options, before the first one that takes a value. */
function bundledAt(word: string, letter: string, valued: string): number {
  if (word.charAt(1) === letter) return 1;
  if (word.length > LONGEST_BUNDLE || !/^-[A-Za-z0-9]+$/.test(word)) return -1;
  for (let at = 1; at < word.length; at += 1) {
    if (word.charAt(at) === letter) return at;
    if (valued.includes(word.charAt(at))) return -1;
  }
  return -1;
}
