import { parseJson } from '../../platform/base/parse-json.js';
import { dangersInArguments } from '../../untrusted/danger/argument-keys.js';
import { changedSources } from '../../untrusted/danger/changed-sources.js';
import type { Danger } from '../../untrusted/danger/danger.js';
import { dangersInCommand } from '../../untrusted/danger/dangers-in-command.js';
import { commandArgument, commandReported } from '../../untrusted/shell/given-command.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { CallArgument, ToolCall } from '../report/execution-report.schema.js';
import type { ActionShape } from './action-shape.js';
import type { Step } from './command-step.js';
import { isPython } from './program.js';
import { type CommandSteps, parseSteps, shapeOfStep } from './shell-action.js';
import { toolShape } from './tool-action.js';

/**
 * A parsed tool call: its shape and, for a shell command, its steps, since an error may blame another step than the
 * main one.
 */
export interface ParsedAction {
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
