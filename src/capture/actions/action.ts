import { FifoCache } from '../../platform/background/fifo-cache.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { dangersInArguments } from '../../untrusted/danger/argument-keys.js';
import { changedSources } from '../../untrusted/danger/changed-sources.js';
import type { Danger } from '../../untrusted/danger/danger.js';
import { dangersInCommand } from '../../untrusted/danger/dangers-in-command.js';
import { parseCommandLine, type SimpleCommand } from '../../untrusted/shell/command-line.js';
import { commandArgument, commandReported } from '../../untrusted/shell/given-command.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { CallArgument, ToolCall } from '../report/execution-report.schema.js';
import { type ActionShape, fileKindOf } from './action-shape.js';
import { type Step, stepOf } from './command-step.js';
import { normaliseCommand, unwrapShells } from './normalised-command.js';
import { isPython } from './program.js';
import { isVersionProbe, purposeOf } from './purpose.js';
import { toolShape } from './tool-action.js';

/**
 * A parsed tool call: its shape and, for a shell command, its steps, since an error may blame another step than the
 * main one.
 */
interface ParsedAction {
  readonly shape: ActionShape;
  readonly line?: CommandSteps;
}

/**
 * Parses a tool call. A raw command and its normalised form give the same shape. Never throws: an unreadable command
 * has its first word as its shape. `args`: the arguments of a tool other than a shell, if the report holds them.
 */
export function parseAction(tool: string, action: string, args?: readonly CallArgument[]): ParsedAction {
  if (!isShellTool(tool)) return { shape: toolShape(tool, action, args) };
  const line = parseSteps(commandReported(action));
  return { shape: line.shape ?? emptyShape(), line };
}

/**
 * The dangerous forms in a tool call: of the command of a shell, and of the arguments of every tool. `tool`: the name of
 * the tool, or of its shape.
 */
export function dangersOfCall(tool: string, action: string): Danger[] {
  const parsed = /^\s*\{/.test(action) ? parseJson(action) : undefined;
  const inArguments = typeof parsed === 'object' ? dangersInArguments(tool, parsed) : [];
  const command = commandOf(tool, action, parsed);
  if (command !== undefined) return [...dangersInCommand(command), ...inArguments];
  // the names of the arguments alone, as the importers send those of unknown tools
  if (parsed === undefined && action.length <= NAMES_ONLY)
    return dangersInArguments(tool, Object.fromEntries(action.split(/\s+/).map((name) => [name, ''])));
  return inArguments;
}

const commandOf = (tool: string, action: string, parsed: unknown): string | undefined =>
  isShellTool(tool) ? commandReported(action) : commandArgument(parsed);

/** What calls fetch under another name than the failed one; `later`: steps, and the call that worked. */
export function sourcesChanged(failed: ReportedCall, later: readonly ReportedCall[]): Danger[] {
  const [before, ...after] = [failed, ...later].map(
    ({ name, action }) => commandOf(name, action, /^\s*\{/.test(action) ? parseJson(action) : undefined) ?? '',
  );
  return changedSources(before ?? '', after.join('\n'));
}

type ReportedCall = Pick<ToolCall, 'name' | 'action'>;

/** The longest list of argument names. */
const NAMES_ONLY = 400;

export function actionShape(tool: string, action: string, args?: readonly CallArgument[]): ActionShape {
  return parseAction(tool, action, args).shape;
}

/**
 * The part of a command line that an error message blames: `cd` for the shell's own cd error in `cd x && python y`.
 * The purpose stays that of the whole call: what it was for.
 */
export function failingAction({ shape: whole, line }: ParsedAction, message: string): ActionShape {
  if (line === undefined) return whole;
  const step = blamedStep(line.steps, message.slice(0, 20_000));
  if (step === undefined) return whole;
  const shape = shapeOfStep(line.commands, line.steps, step);
  if (step.program === 'git' && step.flags.includes('-C') && /cannot change to /.test(message)) {
    return { ...whole, program: 'git', coarse: 'git -C' };
  }
  return { ...shape, purpose: whole.purpose, masksExit: whole.masksExit };
}

/** Patterns that show which kind of program wrote a message; the first that matches decides. */
const ERROR_SIGNATURES: readonly (readonly [RegExp, (step: Step) => boolean])[] = [
  [/^.{0,60}\bcd:(?:\d{1,4}:)? /m, (step) => step.program === 'cd' || step.program === 'pushd'],
  [/^fatal: /m, (step) => step.program === 'git'],
  [/^npm (?:ERR!|error)/m, (step) => step.program === 'npm' || step.program === 'npx'],
  [/^=+ test session starts/m, (step) => /pytest/.test([step.program, ...step.subcommand].join(' '))],
  [
    /is not a valid editable requirement|^ERROR: (?:Could not find a version|No matching distribution)/m,
    (step) => /\bpip/.test([step.program, ...step.subcommand].join(' ')),
  ],
  [/^Traceback \(most recent|^ {0,4}File ".{1,300}", line \d/m, (step) => isPython(step.program)],
];

function blamedStep(steps: readonly Step[], message: string): Step | undefined {
  const cd = ERROR_SIGNATURES[0];
  if (cd?.[0].test(message) === true) return steps.find(cd[1]);
  const speakers = speakersIn(message);
  const speaker = steps.find((step) => step.program !== '' && speakers.has(step.program));
  if (speaker !== undefined) return speaker;
  for (const [pattern, blames] of ERROR_SIGNATURES) {
    if (pattern.test(message)) return steps.findLast(blames);
  }
  return undefined;
}

/** Programs that a message names as its author (`ls: x: No such file`) or as not found. */
function speakersIn(message: string): Set<string> {
  const names = new Set<string>();
  for (const line of message.split('\n', 40)) {
    const missing =
      /command not found: ([\w.+-]{1,60})$/.exec(line) ?? /\b([\w.+-]{1,60}): (?:command )?not found$/.exec(line);
    const speaker = missing ?? /^(?:[\w./+-]{0,200}\/)?([\w.+-]{1,60}): \S/.exec(line);
    if (speaker?.[1] !== undefined) names.add(speaker[1]);
  }
  return names;
}

function emptyShape(): ActionShape {
  return {
    tool: 'shell',
    program: '',
    coarse: 'shell',
    purpose: 'shell:',
    fileKinds: [],
    masksExit: false,
    earlier: [],
  };
}

/** Set-up and noise: the action only if the line has no other step. */
const SETUP: ReadonlySet<string> = new Set(
  `cd pushd popd export source . set unset sleep echo printf true false : pwd wait alias ulimit umask shopt trap exit
   clear date return local read test [ [[ nvm deactivate`.split(/\s+/),
);
const GRAMMAR: ReadonlySet<string> = new Set('for case select function done fi esac } then else do'.split(' '));
const INSPECTION: ReadonlySet<string> = new Set(
  `ls cat head tail wc sort uniq tee cut tr xargs rm mkdir cp mv touch chmod chown find fd grep egrep fgrep rg sed awk jq
   diff file stat du df yes which type command whereis kill ps lsof basename dirname realpath less more tree env column`.split(
    /\s+/,
  ),
);

/** The simple commands of a normalised command line, and the parsed step of each. */
interface CommandSteps {
  readonly commands: readonly SimpleCommand[];
  readonly steps: readonly Step[];
  /** The shape of the main step; undefined if there is none. */
  readonly shape?: ActionShape;
}

/** In real sessions, half of the commands were run recently before. An entry takes a few kilobytes. */
const PARSED_COMMANDS = new FifoCache<CommandSteps>(1_000);

/** Parses every simple command of a normalised or raw command line. `bash -lc 'cd x && pytest'` is its inner commands. */
function parseSteps(command: string): CommandSteps {
  return PARSED_COMMANDS.getOrCreate(command, () => {
    const commands = unwrapShells(parseCommandLine(normaliseCommand(command)));
    const steps = commands.map(stepOf);
    const primary = primaryStep(commands, steps);
    return { commands, steps, ...(primary ? { shape: shapeOfStep(commands, steps, primary) } : {}) };
  });
}

/** -1 for grammar, 0 for set-up, 1 for inspection, 2 for a main action. */
function weightOf(step: Step): number {
  if (GRAMMAR.has(step.program)) return -1;
  if (SETUP.has(step.program) || step.program === '') return 0;
  if (step.program === 'conda' && step.subcommand[0] === 'activate') return 0;
  return INSPECTION.has(step.program) || isVersionProbe(step) ? 1 : 2;
}

/**
 * The main step of a command line: the one with the highest weight. Of several pipelines the last one, because earlier
 * ones prepare; inside a pipeline the first one, because later ones filter. A step after `||` is a fallback.
 */
function primaryStep(commands: readonly SimpleCommand[], steps: readonly Step[]): Step | undefined {
  let best: Step | undefined;
  let bestWeight = -2;
  for (const step of steps) {
    const joiner = commands[step.position]?.joiner;
    const weight = weightOf(step);
    if (weight > bestWeight || (weight === bestWeight && joiner !== '|' && joiner !== '||')) {
      best = step;
      bestWeight = weight;
    }
  }
  return best;
}

function masksExit(commands: readonly SimpleCommand[], position: number): boolean {
  const pipefail = commands.some(({ words }) => words.some(({ text }) => text === 'pipefail'));
  return commands.slice(position).some(({ joiner, after }, offset, rest) => {
    if (after === '&') return true;
    if (offset === 0) return false;
    if (joiner === '||' || joiner === ';') return true;
    return joiner === '|' && !pipefail && rest.slice(1, offset).every((command) => command.joiner === '|');
  });
}

/** Steps before the main one that are kept. */
const MOST_EARLIER = 8;

function shapeOfStep(commands: readonly SimpleCommand[], steps: readonly Step[], step: Step): ActionShape {
  const coarse = coarseNameOf(step);
  const fileKinds = new Set(step.operands.flatMap((word) => fileKindOf(word) ?? []));
  return {
    tool: 'shell',
    program: step.displayName,
    ...(step.subcommand.length > 0 ? { subcommand: step.subcommand.join(' ') } : {}),
    coarse,
    purpose: writesFile(step) ? 'file:write' : purposeOf(step),
    fileKinds: [...fileKinds].slice(0, MOST_FILE_KINDS),
    masksExit: masksExit(commands, step.position),
    earlier: earlierNames(steps, step),
  };
}

const MOST_FILE_KINDS = 5;

const coarseNameOf = (step: Step): string => [step.displayName, ...step.subcommand].join(' ');

/** The steps that an error may blame, or that decide which program runs. A folder of git's own can be wrong as well. */
function earlierNames(steps: readonly Step[], step: Step): string[] {
  const earlier = steps.slice(0, step.position).filter((one) => weightOf(one) > 0 || changesSurroundings(one));
  const ofFolder = step.program === 'git' && step.flags.includes('-C') ? ['git -C'] : [];
  return [...earlier.slice(-MOST_EARLIER).map(coarseNameOf), ...ofFolder];
}

/** True for a set-up step that decides where or how a program runs: a folder, a virtual environment, a version. */
function changesSurroundings(step: Step): boolean {
  return /^(?:cd|pushd|source|\.|nvm|conda|deactivate)$/.test(step.program);
}

/** True for `cat > conf.py <<E` and `echo x > f`: they write a file. */
function writesFile(step: Step): boolean {
  return step.writesTo !== undefined && /^(?:cat|echo|printf)$/.test(step.program);
}
