import { orHasFailed, orWhenItFailed } from './error-words.js';
import { capital, inTool, literal, named, type PhraseInput, type Phrases, verb } from './phrase.js';

/** A path that does not exist: the phrases say what the observed calls did about it. */
export function relocationPhrases(input: PhraseInput): Phrases | undefined {
  const { relation, steps, how } = input;
  if (how === 'omit' || relation === 'here') return leaveFolderOut(input);
  if (relation === 'deeper') return giveFolders(input);
  // Another path without a look at what exists would be a guess that happened to be right.
  return steps.length > 0 ? lookFirst(input) : undefined;
}

type Subject = Pick<Phrases, 'name' | 'when'> & { readonly seen: string };

function subjectOf({ tool, kind, failing, failed, error }: PhraseInput, name: string): Subject {
  if (kind === undefined)
    return {
      name: `${name} ${failing}`,
      when: `about to ${verb(failed)} ${failing}${inTool(tool)} on a path${orWhenItFailed(error)}`,
      seen: `About to ${verb(failed)} ${named(failed)}${orHasFailed(error)}`,
    };
  const what = tool === 'shell' ? 'a shell command' : 'a tool that reads or searches files';
  const place = tool === 'shell' ? 'a relative path' : 'reading or searching';
  return {
    name: `${name} ${place}`,
    when: `about to give ${what} a path that nothing has shown to exist${orWhenItFailed(error)}`,
    seen: `${capital(what)}, such as ${named(failed)}, is given a path that nothing has shown to exist${orHasFailed(error)}`,
  };
}

function leaveFolderOut(input: PhraseInput): Phrases {
  const { name } = subjectOf(input, 'check the folder before');
  const { failed, worked, error } = input;
  const isShell = failed.tool === 'shell';
  const what = isShell
    ? 'a shell command changes into a folder, or gives a path that begins with one'
    : 'a tool that reads or searches files is given a path that begins with a folder';
  const [when, seen] = [
    `${what}${orWhenItFailed(error)}`,
    `${capital(what)}, such as ${named(failed)}${orHasFailed(error)}`,
  ];
  return {
    name,
    title: !isShell
      ? 'Give paths from the current folder, without its own name'
      : /(?:^|\s)(?:cd|pushd|-C)\s/.test(failed.call)
        ? 'Do not change into the folder that the shell already stands in'
        : 'Leave the folder that the shell already stands in out of the path',
    when,
    gist: `The ${isShell ? 'shell' : 'agent'} often stands in that folder already: leave the folder out.`,
    condition: seen,
    action: `Leave the folder out: ${verb(worked)} ${named(worked)} instead of ${named(failed)}.`,
    steps: ['See in which folder the last command ran.', `If it is that folder, ${verb(worked)} ${named(worked)}.`],
    gotchas: [`If the ${isShell ? 'shell' : 'agent'} stands elsewhere, the folder is needed.`],
    remedyLabel: 'Leaving the folder out',
  };
}

function giveFolders(input: PhraseInput): Phrases {
  const { name, when, seen } = subjectOf(input, 'give the whole path before');
  const { failed, worked } = input;
  return {
    name,
    title: 'Give the path from the folder that the shell stands in',
    when,
    gist: 'The path lacks its first folders: give it from the folder that the shell stands in.',
    condition: seen,
    action: `Put the missing folders before the path: ${verb(worked)} ${named(worked)} instead of ${named(failed)}.`,
    steps: [`${capital(verb(worked))} ${named(worked)} with the folders that were missing.`],
    gotchas: [],
    remedyLabel: 'Giving the missing folders',
  };
}

function lookFirst(input: PhraseInput): Phrases | undefined {
  const { name, when, seen } = subjectOf(input, 'find the path before');
  const { worked, steps } = input;
  const [first] = steps;
  if (!first) return undefined;
  const look = steps.map(named).join(', then ');
  // `pwd` says where the shell stands, and a search says where the file is.
  const isPlace = literal(first)?.startsWith('pwd') === true;
  const found = isPlace ? 'the path from there' : 'the path that was found';
  const spoken = steps.map((step) => literal(step) ?? step.tool).join(' and then ');
  return {
    name,
    title:
      look.length <= 60 ? `Look with ${look} before giving a path` : 'Look where the file is before giving its path',
    when,
    gist: `The file usually exists in another folder: look first${spoken.length <= 40 && spoken !== 'shell' ? ` with ${spoken}` : ''}, then give ${found}.`,
    condition: seen,
    action: `${capital(verb(first))} ${look} first, then ${verb(worked)} ${named(worked)} with ${found}.`,
    steps: [
      ...steps.map(
        (step) =>
          `${capital(verb(step))} ${named(step)} ${isPlace ? 'to see where the shell stands' : 'to find the file'}.`,
      ),
      `${capital(verb(worked))} ${named(worked)} with ${found}.`,
    ],
    gotchas: isPlace ? [] : ['If nothing is found, the file does not exist under that name.'],
    remedyLabel: 'Looking first',
  };
}
