import type { ErrorKind } from '../../capture/errors/error-kind.js';
import { capital, code, literal, type PhraseInput, type Phrases, quoted, verb } from './phrase.js';

const KINDS: Readonly<Record<ErrorKind, { readonly noun: string; readonly when: string }>> = {
  'wrong-path': { noun: 'a path that does not exist', when: 'names a file or folder that is not there' },
  'missing-module': { noun: 'a module that is not installed', when: 'needs a module that is not installed' },
  'missing-command': { noun: 'a program that is not there', when: 'names a program that is not there' },
};

/** Returns the phrases for a kind of error that one remedy overcomes after any command. */
export function kindPhrases(kind: ErrorKind, input: PhraseInput): Phrases | undefined {
  const { noun, when } = KINDS[kind];
  const { remedy, error, failed, worked, steps, how } = input;
  const isPrepared = how === 'prepare' && steps.length > 0;
  if (!isPrepared && (how === 'prepare' || failed.call === worked.call)) return undefined;
  const first = steps.map(code).join(', then ');
  const spoken = steps.map((step) => literal(step) ?? remedy).join(' and then ');
  const does = isPrepared
    ? `${verb(steps[0] ?? worked)} ${first} first, then the command again`
    : `${verb(worked)} ${code(worked)} instead of ${code(failed)}`;
  return {
    name: `${remedy} for ${noun}`,
    title: isPrepared ? `When a command ${when}, run ${spoken} first` : `When a command ${when}, use ${remedy}`,
    when: `a shell command ${when}${error.length === 0 ? '' : `, or has just ended in ${quoted(error)}`}`,
    gist: isPrepared ? `Run ${spoken} first, then the command again.` : `Use ${remedy} instead.`,
    condition: `A shell command, such as ${code(failed)}, ${when}${error.length === 0 ? '' : `, or has just failed with ${quoted(error)}`}`,
    action: `${capital(does)}.`,
    steps: isPrepared
      ? [...steps.map((step) => `${capital(verb(step))} ${code(step)}.`), `${capital(verb(worked))} ${code(worked)}.`]
      : [`${capital(verb(worked))} ${code(worked)}.`],
    gotchas: [],
    remedyLabel: isPrepared ? `Running ${first} first` : `Running ${code(worked)}`,
  };
}
