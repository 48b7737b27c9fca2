import type { ErrorKind } from '../../capture/errors/error-kind.js';
import { type PhraseInput, type Phrases, quoted, verifyStep } from './phrase.js';

const KIND_PHRASES: Readonly<Record<ErrorKind, { noun: string; when: string; look: string }>> = {
  'wrong-path': {
    noun: 'a path that does not exist from there',
    when: 'names a file or folder that is not there',
    look: 'Compare the path with the folder that the shell stands in; look with `pwd` and `ls`.',
  },
  'missing-module': {
    noun: 'a module that is not installed',
    when: 'needs a module that is not installed',
    look: 'Read in the error which module is missing, and for which interpreter.',
  },
  'missing-command': {
    noun: 'a program that is not there',
    when: 'names a program that is not there',
    look: 'Read in the error which program is missing.',
  },
};

/** Returns the phrases for a kind of error that one remedy overcomes after any command. */
export function kindPhrases(kind: ErrorKind, input: PhraseInput): Phrases {
  if (input.how === 'relocate') return input.tool === 'shell' ? elsewhere(input) : fileElsewhere(input);
  const { noun, when, look } = KIND_PHRASES[kind];
  const { remedy, how, error } = input;
  const does =
    how === 'prepare'
      ? `run \`${remedy}\` for it first, then the command again`
      : how === 'omit'
        ? `run the command without \`${remedy}\``
        : `use \`${remedy}\` instead`;
  return {
    name: `${remedy} for ${noun}`,
    title: `When a command ${when}, ${does}`,
    when: `a shell command ${when}${orWhenEnded(error)}`,
    gist: `${capital(does)}.`,
    condition: `A shell command ${when}${orHasFailed(error)}.`,
    action: `${capital(does)}.`,
    steps: [
      look,
      `${capital(does)}.`,
      'If the error stays the same, do not repeat this; read what it names now.',
      verifyStep(error),
    ],
    gotchas: [],
    remedyLabel: how === 'prepare' ? `\`${remedy}\` first` : `\`${remedy}\``,
  };
}

function elsewhere({ error, forms, failing }: PhraseInput): Phrases {
  const seen = forms.length > 0 ? ` (\`${forms[0]}\` served here)` : '';
  return {
    name: 'check the folder before a relative path',
    title: 'Check where the shell stands before using a relative path',
    when: `a shell command such as \`${failing}\` names a file or folder by a relative path${orWhenEnded(error)}`,
    gist: 'The shell often stands in another folder than expected, or in that folder already: look first, then use a path that exists from there.',
    condition: `A shell command names a file or folder by a relative path, as \`${failing}\` often does${orHasFailed(error)}.`,
    action:
      'See with `pwd` where the shell stands, then run the command with a path that exists from there, or without the change of folder.',
    steps: [
      'Run `pwd`: the folder may be kept from the command before.',
      `When the folder is the wanted one already, leave the change of folder and the doubled part of the path out.`,
      `Otherwise find the file or folder by its name${seen} and use the path that was found.`,
      'Do not run the same command with the same path again.',
      verifyStep(error),
    ],
    gotchas: ['When nothing of that name is found, it does not exist yet: create or fetch it before using it.'],
    remedyLabel: 'another path, or the same without the change of folder,',
  };
}

function fileElsewhere({ error, forms }: PhraseInput): Phrases {
  const seen = forms.length > 0 ? ` (\`${forms[0]}\` served here)` : '';
  return {
    name: 'find the path before reading or searching',
    title: 'Find the path before reading or searching a file',
    when: `about to read or search a file or folder at a path that nothing has shown to exist${orWhenEnded(error)}`,
    gist: 'What is meant usually exists in another folder: find it by its name, then use the path that was found.',
    condition: `A tool that reads or searches files is given a path that no listing or search has shown${orHasFailed(error)}.`,
    action: `Find the file or folder by its name${seen}, then call the tool with the path that was found.`,
    steps: [
      'Compare the path with the current working directory; a missing or doubled folder is the usual cause.',
      `Search for the last part of the path${seen}.`,
      'Call the tool with the path exactly as the search printed it.',
      verifyStep(error),
    ],
    gotchas: ['When the search finds nothing, it does not exist: do not go on guessing paths.'],
    remedyLabel: 'another path',
  };
}

function orWhenEnded(error: readonly string[]): string {
  return error.length === 0 ? '' : `, or when one has just ended in ${quoted(error)}`;
}

function orHasFailed(error: readonly string[]): string {
  return error.length === 0 ? '' : `, or has just failed with ${quoted(error)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
