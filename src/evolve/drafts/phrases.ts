import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { splitAtPlaceholders } from '../../evidence/calls/placeholder.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import { kindPhrases } from './broad-phrases.js';
import { orHasFailed, orWhenItFailed } from './error-words.js';
import { relocationPhrases } from './path-phrases.js';
import {
  capital,
  code,
  doing,
  editedFile,
  inTool,
  literal,
  named,
  type PhraseInput,
  type Phrases,
  verb,
} from './phrase.js';

/** A longer title names programs instead of whole commands. */
const LONGEST_TITLE = 110;
/** Of a longer or compound command, only the word that differs is named. */
const LONGEST_FORM = 60;
/** Steps that only change the folder of the command. */
const FOLDER_STEP = /^(?:cd|pushd|git -C)(?: |$)/;

const GERUNDS: Readonly<Record<string, string>> = { run: 'Running', call: 'Calling', edit: 'Editing' };

/**
 * Returns the phrases for one way of overcoming a failure; undefined if the observed calls show no difference that could
 * be taught.
 */
export function phrasesOf(input: PhraseInput): Phrases | undefined {
  const isFolder = FOLDER_STEP.test(input.failing);
  if (input.how === 'relocate' || (input.how === 'omit' && isFolder)) return relocationPhrases(input);
  // A program in the place of another one is a lesson on that program, not on a kind of error.
  if (input.kind && input.how === 'prepare') return kindPhrases(input.kind, input);
  if (input.how === 'prepare' || (input.steps.length > 0 && !input.isForm)) return prepare(input);
  return replace(input);
}

function replace(input: PhraseInput): Phrases | undefined {
  const { failed, worked, pair, isShared, isPairWhole } = input;
  if (pair && isPairWhole) return replaceWord(input, pair);
  const isWhole = isShared && namesDifference(failed, worked);
  const isShort = worked.call.length <= LONGEST_FORM && !/&&|\|/.test(worked.call);
  if (pair && !(isWhole && isShort)) return replaceWord(input, pair);
  const [before, after] = [code(failed), code(worked)];
  const whole = `${capital(verb(worked))} ${after} instead of ${before}`;
  const short = pair ? `Use \`${pair[1]}\` instead of \`${pair[0]}\`` : `${capital(verb(worked))} ${after}`;
  const title = whole.length <= LONGEST_TITLE ? whole : (changeInWords(input) ?? short);
  if (!isWhole || title.length > LONGEST_TITLE) return undefined;
  return {
    ...situation(input),
    name: replacementName(input),
    title,
    condition: `About to ${verb(failed)} ${before}${orHasFailed(input.error)}`,
    action: `${whole}.`,
    steps: [`${capital(verb(worked))} ${after}.`],
    gotchas: [],
    remedyLabel: `${verb(worked) === 'run' ? 'Running' : 'Calling'} ${after}`,
  };
}

/** What is added or left out, in a title; the steps show the whole call. */
function changeInWords({ how, remedy, failing, failed }: PhraseInput): string | undefined {
  if (how === 'omit' && remedy !== failing)
    return `${capital(verb(failed))} \`${failed.tool === 'shell' ? failing : failed.tool}\` without \`${remedy}\``;
  return how === 'replace' && isFlag(remedy) ? `Add \`${remedy}\` to \`${failing}\`` : undefined;
}

/** The calls share no form, but they differ in the same word. */
function replaceWord(input: PhraseInput, [from, to]: readonly [string, string]): Phrases {
  // Another program may need other arguments.
  const isOnlyWord = !input.isPairWhole || input.isPairShown === true;
  return {
    ...situation(input),
    name: replacementName(input),
    title: `Use \`${to}\` instead of \`${from}\``,
    condition: `About to run a command with \`${from}\`${orHasFailed(input.error)}`,
    action: isOnlyWord
      ? `Write \`${to}\` instead of \`${from}\`, and keep the rest of the command.`
      : `Run the command with \`${to}\` instead of \`${from}\`.`,
    steps: isOnlyWord
      ? [`Write \`${to}\` in the place of the failing word, and run the command.`]
      : [`Run it with \`${to}\`, which may need other arguments: the example shows what worked.`],
    gotchas: [],
    remedyLabel: `Using \`${to}\``,
  };
}

function situation(input: PhraseInput): Pick<Phrases, 'when' | 'gist'> {
  const { tool, failing, failed, error } = input;
  return {
    when: `about to ${verb(failed)} ${failing}${inTool(tool)}${orWhenItFailed(error)}`,
    gist: gistOfReplacement(input),
  };
}

/** The name in front of a value: of a variable, a flag or a setting. */
const SET_NAME = /^(-{0,2}[A-Za-z_][\w.-]{0,60})=.*$/s;

/** Two calls that differ only in names of files teach nothing. */
function namesDifference(failed: ShownCall, worked: ShownCall): boolean {
  if (failed.tool !== worked.tool) return true;
  if (failed.tool !== 'shell') return failed.call !== worked.call;
  const names = ({ call }: ShownCall): string[] =>
    wordsOfLine(call)
      .map((word) => word.replace(SET_NAME, '$1='))
      .filter((word) => !/[<>]|\/|\w\.[a-z]{1,5}$/i.test(word));
  const [before, after] = [names(failed), names(worked)];
  return after.some((word) => !before.includes(word)) || before.some((word) => !after.includes(word));
}

function gistOfReplacement({ failing, remedy, how, worked, failed, pair }: PhraseInput): string {
  const whole = literal(worked);
  if (pair) return `Use ${pair[1]} instead of ${pair[0]}.`;
  if (whole !== undefined && whole.length <= 80) return `Run ${whole} instead.`;
  if (failed.tool !== worked.tool) return `Call ${worked.tool} instead.`;
  if (how === 'omit' && remedy !== failing) return `Leave out ${remedy}.`;
  const missing = splitAtPlaceholders(worked.call).flatMap(({ text, isPlaceholder }) =>
    isPlaceholder && !failed.call.includes(text) ? [text.slice(1, -1)] : [],
  );
  if (missing.length > 0 && missing.every((name) => name !== 'value'))
    return `Give it the ${[...new Set(missing)].join(' and the ')}, as the skill shows.`;
  if (isFlag(remedy)) return `Add ${remedy}.`;
  if (isVariable(remedy)) return `Set ${remedy}.`;
  return remedy === failing ? 'It works with other arguments, which the skill shows.' : `Use ${remedy} instead.`;
}

function prepare(input: PhraseInput): Phrases | undefined {
  const { tool, failing, remedy, steps, failed, worked, error, repeatFails } = input;
  const [one] = steps;
  if (!one) return undefined;
  const isAlike = steps.every((step) => verb(step) === verb(one) && editedFile(step) === undefined);
  // two calls of one tool differ by their arguments
  const isSameTool = steps.some((step) => step.tool === worked.tool);
  const name = isSameTool ? code : named;
  const first = isAlike ? `${verb(one)} ${steps.map(name).join(', then ')}` : steps.map(doing).join(', then ');
  const spoken = steps.map((step) => spokenStep(step, remedy, isSameTool)).join(' and then ');
  const again = name(worked);
  if (steps.every((step) => name(step) === again)) return undefined;
  const title = `${capital(first)} before ${again}`;
  return {
    name: `${remedy} before ${failing}`,
    title: title.length <= LONGEST_TITLE ? title : `${capital(spoken)} before ${failing}`,
    when: `about to ${verb(failed)} ${failing}${inTool(tool)}${orWhenItFailed(error)}`,
    gist: `${capital(spoken)} first${repeatFails ? `; ${failing} seldom works without it` : ''}.`,
    condition: `About to ${verb(failed)} ${name(failed)}${orHasFailed(error)}`,
    action: `${capital(first)} first, then ${verb(worked)} ${again}.`,
    steps: [
      ...steps.map((step) => `${capital(isSameTool ? `${verb(step)} ${code(step)}` : doing(step))}.`),
      `${capital(verb(worked))} ${again}${failed.call === worked.call ? ' again' : ''}.`,
    ],
    gotchas: [],
    remedyLabel: `${GERUNDS[first.split(' ', 1)[0] ?? ''] ?? 'Doing'} ${first.slice(first.indexOf(' ') + 1)} first`,
  };
}

/** A step in plain text, with its verb. */
function spokenStep(step: ShownCall, remedy: string, isSameTool: boolean): string {
  if (editedFile(step) !== undefined) return doing(step);
  return `${verb(step)} ${literal(step) ?? (step.tool === 'shell' || isSameTool ? remedy : step.tool)}`;
}

/** A flag or a variable is added to the command, and takes the place of nothing. */
const isFlag = (word: string): boolean => word.startsWith('-');
const isVariable = (word: string): boolean => /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(word);

/** `docker compose` and `docker-compose` have the same slug; the skill is then named by the failure. */
function replacementName({ failing, remedy, how, pair }: PhraseInput): string {
  const isPair = pair && skillSlug(pair[0]) !== skillSlug(pair[1]);
  if (!isPair && how === 'omit' && remedy !== failing) return `${failing} without ${remedy}`;
  if (!isPair && (isFlag(remedy) || isVariable(remedy))) return `${failing} with ${remedy}`;
  const [from, to] = isPair ? pair : [failing, remedy];
  return skillSlug(from) === skillSlug(to) ? `when ${from} fails` : `use ${to} instead of ${from}`;
}
