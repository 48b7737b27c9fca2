import { compareText } from '../../platform/base/compare-text.js';
import { clip } from '../../untrusted/text/clip.js';
import { parseAction } from '../actions/action.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';

/** The longest topic, in UTF-16 code units. */
export const LONGEST_TOPIC = 200;
const MOST_COMMANDS = 4;
const MOST_KINDS = 3;
/** Calls that are read for a topic. */
const MOST_CALLS = 500;

/** Titles of importers and hooks. They are part of a task's origin and say nothing about it. */
const GENERIC = /^[A-Z][\w-]{0,20}(?: [A-Z][\w-]{0,20}){0,2} (?:session|sub-agent|trajectory|trace)$/;
/** A name of a program, and of a subcommand. Nothing else of a command is in a topic. */
const PROGRAM = /^[a-z][\w.+-]{0,30}$/i;
const SUBCOMMAND = /^[a-z][\w:-]{0,20}$/;
const FILE_KIND = /^\.[A-Za-z0-9]{1,10}$/;

type Reported = Pick<ExecutionReport, 'taskTitle' | 'toolCalls'>;

export const isGenericTitle = (title: string): boolean => GENERIC.test(title);

/** The programs that worked, with their subcommands, the most frequent first: `npm test`, `git commit`. */
export function commandsOf({ toolCalls }: Pick<ExecutionReport, 'toolCalls'>): string[] {
  const counts = new Map<string, number>();
  for (const { name, action, arguments: args } of toolCalls.filter(({ ok }) => ok).slice(0, MOST_CALLS)) {
    const { shape } = parseAction(name, action, args);
    if (shape.tool !== 'shell' || !PROGRAM.test(shape.program ?? '')) continue;
    const subcommand = SUBCOMMAND.test(shape.subcommand ?? '') ? ` ${shape.subcommand}` : '';
    const command = `${shape.program}${subcommand}`;
    counts.set(command, (counts.get(command) ?? 0) + 1);
  }
  return mostFrequent(counts, MOST_COMMANDS);
}

/**
 * What an execution was about, in at most 200 characters: its title, or for a session without one the commands that it
 * ran and the kinds of its files. Never a word of the conversation.
 */
export function topicOf(report: Reported): string {
  const { taskTitle } = report;
  if (!isGenericTitle(taskTitle)) return clip(taskTitle, LONGEST_TOPIC);
  const kinds = fileKindsOf(report);
  const parts = [commandsOf(report).join(', '), kinds.length === 0 ? '' : `${kinds.join(', ')} files`];
  const work = parts.filter((part) => part !== '').join('; ');
  return clip(work === '' ? taskTitle : `${taskTitle}: ${work}`, LONGEST_TOPIC);
}

function fileKindsOf({ toolCalls }: Reported): string[] {
  const counts = new Map<string, number>();
  for (const { arguments: args = [] } of toolCalls)
    for (const { fileKind } of args)
      if (fileKind !== undefined && FILE_KIND.test(fileKind)) counts.set(fileKind, (counts.get(fileKind) ?? 0) + 1);
  return mostFrequent(counts, MOST_KINDS);
}

const mostFrequent = (counts: ReadonlyMap<string, number>, most: number): string[] =>
  [...counts]
    .sort(([a, x], [b, y]) => y - x || compareText(a, b))
    .slice(0, most)
    .map(([key]) => key);
