import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { type RawCall, toolCallsOf } from '../../src/capture/importers/foreign-call.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import type { Lesson } from '../../src/memory/store/lesson.schema.js';
import { compareText } from '../../src/platform/base/compare-text.js';
import type { TestApplication } from './application.js';
import { pythonReport } from './fleet.js';

const AT = '2026-02-01T10:00:00.000Z';

/** A failed call as an importer reports it. A text as input is a command line. */
export function failedCall(input: unknown, error: string, tool = 'Bash'): ToolCall {
  return importedCall(tool, input, { failed: true, text: error, at: AT });
}

/** A successful call as an importer reports it. */
export function workedCall(input: unknown, tool = 'Bash'): ToolCall {
  return importedCall(tool, input, { failed: false, text: '', at: AT });
}

function importedCall(name: string, input: unknown, result: NonNullable<RawCall['result']>): ToolCall {
  const [call] = toolCallsOf([{ name, input: inputOf(input), at: AT, result }]);
  if (call === undefined) throw new Error(`no call of ${name} was imported`);
  return call;
}

const inputOf = (input: unknown): unknown => (typeof input === 'string' ? { command: input } : input);

export const FLEET = ['ada', 'ben', 'cleo', 'dora', 'emil'];

/** Lets five agents of five owners report the calls, each in an execution of a separate task. */
export async function reportAsFleet(app: TestApplication, name: string, calls: readonly ToolCall[]): Promise<void> {
  for (const agent of FLEET) {
    const { client } = await app.agent(`${agent} on ${name}`, `team of ${agent}`);
    await client.executions.report({ ...pythonReport(app, `${name} ${agent}`), toolCalls: [...calls] });
  }
  await app.settled();
}

/** Lets a fleet report the calls, runs a cycle, and returns the only proposal and the lessons. */
export async function learnedByFleet(
  app: TestApplication,
  calls: readonly ToolCall[],
): Promise<{ proposal: ProposalDetails; lessons: readonly Lesson[] }> {
  await reportAsFleet(app, 'the shop', calls);
  await app.admin.evolver.run(false);
  const { items, total } = await app.admin.proposals.list();
  const [proposal] = items;
  if (!proposal || total !== 1) throw new Error(`expected 1 pending proposal, found ${total}`);
  return { proposal: await app.admin.proposals.show(proposal.id), lessons: await lessonsOf(app) };
}

export async function lessonsOf(app: TestApplication): Promise<Lesson[]> {
  const { items } = await app.admin.lessons({ limit: 200 });
  return items.map(({ lesson }) => lesson).sort((a, b) => compareText(a.discovery, b.discovery));
}

/** The texts of a lesson that say what to do. */
export function adviceOf({ discovery, activation, steps, example }: Lesson): string {
  const shown = example === undefined ? [] : [...example.between, ...(example.worked ? [example.worked] : [])];
  return [discovery, activation.action, ...steps, ...shown.map(({ tool, call }) => `${tool} ${call}`)].join('\n');
}
