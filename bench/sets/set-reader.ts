import { type RawCall, retriesOf, toolCallsOf } from '../../src/capture/importers/foreign-call.js';
import { clipId, foreignReport } from '../../src/capture/importers/foreign-report.js';
import { ImportTally } from '../../src/capture/importers/import-tally.js';
import { ObservedOutputs } from '../../src/capture/importers/observed-outputs.js';
import { taskHash } from '../../src/capture/importers/task-sources.js';
import { originOf } from '../../src/capture/intake/executions.service.js';
import type { StoredExecution } from '../../src/capture/observations/observation.js';
import { projectName } from '../../src/capture/report/agent-name.js';
import type { ExecutionEnvironment, ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { sanitiseReport } from '../../src/capture/report/sanitised-report.js';
import type { Sanitized } from '../../src/untrusted/redaction/redact-deep.js';
import { readRows, type SetCall, type SetRow, type SkippedLine } from './set-row.js';

/** An execution as the server would store it. */
export interface SetExecution {
  readonly row: SetRow;
  readonly startedAt: string | undefined;
  /** The repository, otherwise the first part of the task's id. */
  readonly workKind: string;
  readonly report: Sanitized<ExecutionReport>;
  readonly execution: StoredExecution;
  /** The calls of the row that the report holds, in its order. */
  readonly calls: readonly SetCall[];
}

/** A set, read as the server would receive it. */
export interface ReadSet {
  readonly name: string;
  readonly executions: readonly SetExecution[];
  readonly skipped: readonly SkippedLine[];
  /** Calls without a result: neither failed nor successful, so that no report holds them. */
  readonly unknownResults: number;
  /** False if the start times do not differ, so that nothing says which execution was first. */
  readonly isOrdered: boolean;
}

const UNDATED = '2000-01-01T00:00:00.000Z';

/**
 * Reads a set: each row through the functions of the importers, then redacted and within the limits of a report.
 * `change` changes each row before.
 */
export function readSet(jsonl: string, name: string, change = (row: SetRow): SetRow => row): ReadSet {
  const { rows, skipped } = readRows(jsonl, name);
  const executions: SetExecution[] = [];
  const refused: SkippedLine[] = [];
  for (const row of rows) {
    const read = executionOf(change(row), name);
    if ('reason' in read) refused.push(read);
    else executions.push(read);
  }
  const times = executions.map(({ startedAt }) => startedAt);
  return {
    name,
    executions,
    skipped: [...skipped, ...refused].sort((a, b) => a.line - b.line),
    unknownResults: rows.flatMap(({ calls }) => calls).filter(({ ok }) => ok === undefined).length,
    isOrdered: !times.includes(undefined) && new Set(times).size > 1,
  };
}

function executionOf(row: SetRow, name: string): SetExecution | SkippedLine {
  const tally = new ImportTally();
  const calls = row.calls.filter(({ ok }) => ok !== undefined);
  const raw = reportOf(row, calls, name, tally);
  if (raw === undefined) return { line: row.line, reason: tally.read().omitted.at(-1)?.reason ?? 'no report' };
  const sanitised = sanitiseReport(raw);
  if (!sanitised.usable)
    return { line: row.line, reason: `not a usable report: ${sanitised.issues[0]?.message ?? ''}` };
  const { report } = sanitised;
  const { id, agentId } = row;
  return {
    row,
    startedAt: row.startedAt,
    workKind: row.project ?? row.taskId.split('/')[0] ?? '',
    report,
    execution: {
      id,
      agentId,
      agentName: agentId,
      owner: agentId,
      rootExecutionKey: `${agentId}:${id}`,
      origin: originOf(report),
      finishedAt: report.finishedAt,
      report,
    },
    calls,
  };
}

function reportOf(
  row: SetRow,
  calls: readonly SetCall[],
  name: string,
  tally: ImportTally,
): ExecutionReport | undefined {
  const began = row.startedAt ?? UNDATED;
  const raw = calls.map((call) => rawCallOf(call, began));
  const outputs = new ObservedOutputs();
  for (const { tool, input, output, ok } of calls) outputs.read(tool, input, output, ok === false);
  return foreignReport(
    {
      executionId: `${clipId(name)}:${clipId(row.id)}`,
      // as importers name it: it says nothing about the task
      taskTitle: 'Set session',
      task: taskHash(row.taskId),
      // the task alone is the origin of a row
      sources: [],
      model: row.model,
      environment: { ...outputs.environment(), ...environmentOf(row) },
      startedAt: began,
      finishedAt: row.endedAt !== undefined && row.endedAt >= began ? row.endedAt : began,
      end: 'ended',
      verification: verificationOf(row),
      calls: toolCallsOf(raw, { notices: outputs.notices() }),
      retryCount: retriesOf(raw),
      turnCount: wholeNumber(row.turns),
      tags: row.project === undefined ? [] : [`project:${projectName(row.project)}`],
    },
    tally,
  );
}

/** The output of a successful call is read for versions and notices only. */
function rawCallOf({ tool, input, ok, output }: SetCall, at: string): RawCall {
  const isFailed = ok === false;
  // no row says how long a call took
  return { name: tool, input, at, result: { failed: isFailed, text: isFailed ? output : '', at, durationMs: -1 } };
}

const wholeNumber = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isInteger(count) && count >= 0 ? count : undefined;

function verificationOf({ succeeded }: SetRow): ExecutionReport['verification'] {
  if (succeeded === undefined) return { outcome: 'none' };
  return { outcome: succeeded ? 'succeeded' : 'failed', source: 'evaluator' };
}

/** `some-agent 2.0.54` is a harness with its version. */
function environmentOf({ harness, project }: SetRow): ExecutionEnvironment {
  const [, name = harness, version] = /^(.{1,100}?)[ /]v?(\d[\w.-]{0,40})$/.exec(harness) ?? [];
  return {
    harness: name.slice(0, 120),
    ...(version === undefined ? {} : { harnessVersion: version }),
    ...(project === undefined ? {} : { project: projectName(project) }),
    ...(project?.includes('/') === true ? { repository: project.slice(0, 120) } : {}),
  };
}
