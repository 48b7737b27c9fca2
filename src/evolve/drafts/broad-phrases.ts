import type { ErrorKind } from '../../capture/errors/error-kind.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { orHasJustEnded, orHasJustFailed } from './error-words.js';
import { capital, code, literal, type PhraseInput, type Phrases, verb } from './phrase.js';

const KINDS: Readonly<Record<ErrorKind, { readonly noun: string; readonly when: string }>> = {
  'wrong-path': { noun: 'a path that does not exist', when: 'names a file or folder that is not there' },
  'missing-module': { noun: 'a module that is not installed', when: 'needs a module that is not installed' },
  'missing-command': { noun: 'a program that is not there', when: 'names a program that is not there' },
};

/** Returns the phrases for a kind of error that one remedy overcomes after any command. */
export function kindPhrases(kind: ErrorKind, input: PhraseInput): Phrases | undefined {
  const { noun, when } = KINDS[kind];
  const { tool, remedy, error, failed, worked, steps, how } = input;
  const isPrepared = how === 'prepare' && steps.length > 0;
  if (!isPrepared && (how === 'prepare' || failed.call === worked.call)) return undefined;
  const [what, call] = tool === 'shell' ? ['a shell command', 'command'] : ['a call of a tool', 'call'];
  const first = steps.map((step) => `${verb(step)} ${code(step)}`).join(', then ');
  const spoken = steps.map((step) => spokenStep(step, remedy)).join(' and then ');
  const does = isPrepared
    ? `${first} first, then the ${call} again`
    : `${verb(worked)} ${code(worked)} instead of ${code(failed)}`;
  return {
    name: `${remedy} for ${noun}`,
    title: `When a ${call} ${when}, ${isPrepared ? `${spoken} first` : `use ${remedy}`}`,
    when: `${what} ${when}${orHasJustEnded(error)}`,
    gist: isPrepared ? `${capital(spoken)} first, then the ${call} again.` : `Use ${remedy} instead.`,
    condition: `${capital(what)}, such as ${code(failed)}, ${when}${orHasJustFailed(error)}`,
    action: `${capital(does)}.`,
    steps: isPrepared
      ? [...steps.map((step) => `${capital(verb(step))} ${code(step)}.`), `${capital(verb(worked))} ${code(worked)}.`]
      : [`${capital(verb(worked))} ${code(worked)}.`],
    gotchas: [],
    remedyLabel: isPrepared ? `${gerund(first)} first` : `Running ${code(worked)}`,
  };
}

/** A step in plain text: a command line without placeholders, otherwise the names of program or tool. */
const spokenStep = (step: ShownCall, remedy: string): string =>
  `${verb(step)} ${literal(step) ?? (step.tool === 'shell' ? remedy : step.tool)}`;

const gerund = (sentence: string): string => sentence.replace(/^run /, 'Running ').replace(/^call /, 'Calling ');
