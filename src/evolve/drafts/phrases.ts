import { skillSlug } from '../../skills/document/slug.js';
import { kindPhrases } from './broad-phrases.js';
import { orWhenItFailed, type PhraseInput, type Phrases, verifyStep, withError } from './phrase.js';

/** Steps that only change the folder of the command. */
const FOLDER_STEP = /^(?:cd|pushd|git -C)(?: |$)/;

/** Returns the phrases for one way of overcoming a failure. */
export function phrasesOf(input: PhraseInput): Phrases {
  if (input.kind) return kindPhrases(input.kind, input);
  if (input.how === 'omit') return FOLDER_STEP.test(input.failing) ? omitFolder(input) : omitStep(input);
  if (input.how === 'relocate') return input.tool === 'shell' ? relocateCommand(input) : relocate(input);
  if (input.how === 'prepare') return prepare(input);
  return replace(input);
}

function replace({ tool, failing, remedy: form, error, repeatFails }: PhraseInput): Phrases {
  // "[word]" does not say what to write; "[dir]" does.
  const remedy = form.replace(/(?: \[word\]){1,9}$/, '');
  const same = sameArguments(failing, remedy);
  return {
    name: replacementName(failing, remedy),
    title: `Use ${remedy} instead of ${failing}`,
    when: `about to run \`${failing}\` ${inTool(tool)}${orWhenItFailed(error)}`,
    gist: `Run \`${remedy}\` instead${same ? ' with the same arguments' : ''}${repeatFails ? `; repeating \`${failing}\` seldom helps` : ''}.`,
    condition: `\`${failing}\` is about to be run ${inTool(tool)}, or has just failed${withError(error)}.`,
    action: `Run \`${remedy}\` instead of \`${failing}\`${same ? ', with the same arguments' : ', for the same purpose'}.`,
    steps: [
      `Write \`${remedy}\` where you would write \`${failing}\`.`,
      same ? 'Keep the rest of the command as it is.' : 'Carry over only the arguments that still apply.',
      `If \`${failing}\` has already failed this way, switch now and do not run it again unchanged.`,
      verifyStep(error),
    ],
    gotchas: [],
    remedyLabel: `\`${remedy}\``,
  };
}

function omitFolder({ failing, error }: PhraseInput): Phrases {
  return {
    name: `check the folder before ${failing}`,
    title: `Check where the shell stands before ${failing}`,
    when: `a shell command is about to begin with \`${failing}\`${orWhenItFailed(error)}`,
    gist: 'The shell often stands in that folder already: look with `pwd` first, then run the command without the change of folder.',
    condition: `A shell command changes the folder with \`${failing}\` before its actual work, or has just failed there${withError(error)}.`,
    action: `Leave \`${failing}\` out and run the rest of the command from the current folder, after checking with \`pwd\` that it is the right one.`,
    steps: [
      'Run `pwd` and see where the shell stands; its folder may be kept from the command before.',
      `If it is the folder you want, run the command without \`${failing}\`.`,
      'If it is another one, list it and use a path that exists from there.',
      verifyStep(error),
    ],
    gotchas: ['When the folder really does not exist yet, leaving the step out runs the command in the wrong place.'],
    remedyLabel: `the same without \`${failing}\``,
  };
}

function omitStep({ failing, error }: PhraseInput): Phrases {
  return {
    name: `leave out ${failing}`,
    title: `Leave ${failing} out of the command`,
    when: `a shell command has \`${failing}\` as a step before its actual work${orWhenItFailed(error)}`,
    gist: `The rest of the command usually works without \`${failing}\`.`,
    condition: `A compound shell command contains the step \`${failing}\`, or has just failed at it${withError(error)}.`,
    action: `Run the command without the step \`${failing}\`.`,
    steps: [
      `Take \`${failing}\` out of the command.`,
      'Run the rest on its own.',
      'If the rest needs what the step was for, do that as a command of its own and read its output.',
      verifyStep(error),
    ],
    gotchas: [],
    remedyLabel: `the same without \`${failing}\``,
  };
}

function relocateCommand(input: PhraseInput): Phrases {
  if (FOLDER_STEP.test(input.failing)) return omitFolder(input);
  const { failing, error, forms } = input;
  const seen = forms.length > 0 ? ` (\`${forms[0]}\` served here)` : '';
  return {
    name: `find the path before ${failing}`,
    title: `Find the path before running ${failing}`,
    when: `about to run \`${failing}\` on a path that nothing has shown to exist${orWhenItFailed(error)}`,
    gist: 'The shell often stands in another folder than expected: look first, then use a path that exists from there.',
    condition: `\`${failing}\` is about to be run on a relative path, or has just failed${withError(error)}.`,
    action: `See with \`pwd\` where the shell stands and find the path by its name${seen}, then run \`${failing}\` on the path that was found.`,
    steps: [
      'Run `pwd`: the folder may be kept from the command before.',
      `Search for the last part of the path${seen}.`,
      `Run \`${failing}\` on the path that was found.`,
      verifyStep(error),
    ],
    gotchas: ['When the search finds nothing, it does not exist: do not go on guessing paths.'],
    remedyLabel: 'another path',
  };
}

function relocate({ failing, error, forms }: PhraseInput): Phrases {
  const seen = forms.length > 0 ? ` (\`${forms[0]}\` served here)` : '';
  return {
    name: `find the path before ${failing}`,
    title: `Find the path before calling ${failing}`,
    when: `calling the ${failing} tool with a path that no listing or search has shown${orWhenItFailed(error)}`,
    gist: 'What is meant usually exists in another folder: find it by its name, then use the path found.',
    condition: `The ${failing} tool is called with a guessed path, or has just failed${withError(error)}.`,
    action: `Find it by its name${seen}, then call ${failing} with the path that was found.`,
    steps: [
      'Compare the path with the current working directory; a missing or doubled folder is the usual cause.',
      `Search for its base name${seen}.`,
      `Call ${failing} with the path exactly as the search printed it.`,
      verifyStep(error),
    ],
    gotchas: ['When the search finds nothing, it does not exist: do not go on guessing paths.'],
    remedyLabel: 'the same file name on another path',
  };
}

function prepare({ tool, failing, remedy, error, repeatFails }: PhraseInput): Phrases {
  const [first, then] = tool === 'shell' ? [`\`${remedy}\``, `\`${failing}\``] : [remedy, failing];
  return {
    name: `${remedy} before ${failing}`,
    title: `Run ${remedy} before ${failing}`,
    when: `about to use ${then} ${inTool(tool)}${orWhenItFailed(error)}`,
    gist: `Do ${first} first, for the same thing, then ${then}${repeatFails ? `; repeating ${then} alone seldom helps` : ''}.`,
    condition: `${then} is about to be used ${inTool(tool)}, or has just failed${withError(error)}.`,
    action: `Do ${first} first for what the error names, then ${then} again.`,
    steps: [
      'Read in the error what is missing.',
      `Do ${first} for exactly that.`,
      `Do ${then} again as before.`,
      verifyStep(error),
    ],
    gotchas: [],
    remedyLabel: `${first} first`,
  };
}

/** `docker compose` and `docker-compose` have the same slug; the skill is then named by the failure. */
function replacementName(failing: string, remedy: string): string {
  const plain = (action: string): string => action.replace(/\[[^\]]{0,40}\]/g, '').trim();
  const [from, to] = [plain(failing), plain(remedy)];
  return skillSlug(from) === skillSlug(to) ? `when ${from} fails` : `use ${to} instead of ${from}`;
}

/** `python -m pytest` and `python3 -m pytest`, `python` and `python3`: only the program differs. */
function sameArguments(failing: string, remedy: string): boolean {
  const rest = (text: string): string => text.split(' ').slice(1).join(' ');
  return rest(failing) === rest(remedy);
}

function inTool(tool: string): string {
  return tool === 'shell' ? 'in a shell' : `with the ${tool.replace(/[^a-z0-9_-]/g, '')} tool`;
}
