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
  const operands = words.filter((word) => !isOption(word));
  const matched: string[] = [];
  let at = 0;
  for (const part of form.parts) {
    if (part.kind === 'option') {
      const found = firstOption(words, part, form);
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

function firstOption(words: readonly string[], part: OptionPart, form: CompiledForm): string | undefined {
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    if (!isOption(word)) continue;
    const matched = part.options.map((option) => matchOption(word, next, option, part.value, form)).find(Boolean);
    if (matched !== undefined) return matched;
  }
  return undefined;
}

type OptionPart = Extract<FormPart, { kind: 'option' }>;

/** The option as it was written, with its value only if the value makes it dangerous: others may be secrets. */
function matchOption(
  word: string,
  next: string | undefined,
  option: OptionPattern,
  value: RegExp | undefined,
  form: CompiledForm,
): string | undefined {
  const found = attachedValue(word, option, form);
  if (found === undefined) return undefined;
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
  word: string,
  option: OptionPattern,
  { program, valued, hasSingleHyphen }: CompiledForm,
): { attached: string | undefined } | undefined {
  if (option.kind === 'exact') {
    const [name, attached] = splitOnce(word);
    return name === option.name ? { attached } : undefined;
  }
  if (option.kind === 'long') {
    if (!word.startsWith('--') && !hasSingleHyphen) return undefined;
    const [name, attached] = splitOnce(word);
    return isNamed(optionName(name), option, program !== ANY_PROGRAM) ? { attached } : undefined;
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
