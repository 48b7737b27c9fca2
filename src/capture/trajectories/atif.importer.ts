import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { errorFields, keptError, type RawCall, retriesOf, toolCallsOf } from '../importers/foreign-call.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { clipId, foreignEnvironment, foreignReport } from '../importers/foreign-report.js';
import { ImportTally, parseDocument } from '../importers/import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from '../importers/importer.js';
import { rewardOf } from '../importers/judged-outcome.js';
import { ObservedOutputs } from '../importers/observed-outputs.js';
import { sourcesOfCall, taskHash } from '../importers/task-sources.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { AtifResult, AtifStep, AtifToolCall, AtifTrajectory, HarborResult } from './atif.schema.js';

/** Maximum number of sub-agent trajectories, over all levels. */
const MAX_TRAJECTORIES = 200;

/**
 * Imports ATIF trajectories, one JSON document per file, as Harbor, VS Code Copilot, Devin and others write them. The
 * format has no outcome and no mark for failed calls; Harbor's `result.json` beside it has the reward and the
 * exception.
 */
export const atifImporter: TranscriptImporter = {
  format: 'atif',
  recognises: (record) => 'trial_name' in record || /^ATIF-v/.test(String(record['schema_version'])),
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const document = parseDocument([...lines], tally);
    const beside = context.judgements?.find(({ name }) => name === 'result.json');
    const harbor = HarborResult.safeParse(beside === undefined ? document : parseDocument([beside.text]));
    const trial = harbor.success ? harbor.data : undefined;
    const trajectory = AtifTrajectory.safeParse(document);
    if (!trajectory.success && trial === undefined) {
      if (document !== undefined) tally.badLines += 1;
      tally.omit('no turns');
      return { reports: [], skillUses: [], counts: tally.counts(), omitted: tally.omitted() };
    }
    const main = reportOf(trajectory.data, { trial, context, tally });
    const reports = main === undefined ? [] : [main, ...subReports(trajectory.data, main, context, tally)];
    return { reports, skillUses: [], counts: tally.counts(), omitted: tally.omitted() };
  },
};

interface ReportContext {
  readonly trial?: HarborResult | undefined;
  readonly parent?: ExecutionReport;
  readonly context: ImportContext;
  readonly tally: ImportTally;
}

/** Sub-agents get no outcome: the reward is for the whole trial. */
function subReports(
  trajectory: AtifTrajectory | undefined,
  parent: ExecutionReport,
  context: ImportContext,
  tally: ImportTally,
): ExecutionReport[] {
  const queue = [...(trajectory?.subagent_trajectories ?? [])];
  const reports: ExecutionReport[] = [];
  for (let n = 0; n < queue.length && n < MAX_TRAJECTORIES; n += 1) {
    const sub = AtifTrajectory.safeParse(queue[n]);
    if (!sub.success) continue;
    queue.push(...(sub.data.subagent_trajectories ?? []));
    const report = reportOf(sub.data, { parent, context, tally });
    if (report !== undefined) reports.push(report);
  }
  return reports;
}

function reportOf(trajectory: AtifTrajectory | undefined, { trial, parent, context, tally }: ReportContext) {
  const steps = (trajectory?.steps ?? []).flatMap((step) => AtifStep.safeParse(step).data ?? []);
  const times = steps.flatMap(({ timestamp }) => timestamp ?? []).sort((a, b) => Date.parse(a) - Date.parse(b));
  const startedAt = trial?.started_at ?? times[0] ?? context.recordedAt;
  const outputs = new ObservedOutputs();
  const calls = steps.flatMap((step, n) => callsOf(step, { at: startedAt ?? '', reply: `${n}`, outputs }));
  const answered = calls.filter(({ result }) => result !== undefined);
  tally.omit('tool call without a result', calls.length - answered.length);
  const turns = steps.filter(({ source }) => source === 'agent').length;
  const name = clipId(
    trial?.trial_name ?? trajectory?.trajectory_id ?? trajectory?.session_id ?? context.sessionHint ?? 'unnamed',
  );
  const reward = rewardOf(trial?.verifier_result?.rewards ?? {});
  const agent = trial?.agent_info?.name ?? trajectory?.agent?.name;
  const content = foreignReport(
    {
      executionId: 'atif',
      taskTitle: `ATIF ${parent === undefined ? 'trajectory' : 'sub-agent'}`,
      task: taskHash(promptOf(steps) ?? trial?.task_name ?? name),
      sources: calls.flatMap((call) => sourcesOfCall(call.name, call.input)),
      sessionId: parent === undefined ? name : `${parent.sessionId}:${name}`.slice(0, 200),
      parentExecutionId: parent?.executionId,
      model:
        steps.findLast(({ model_name }) => model_name)?.model_name ??
        trajectory?.agent?.model_name ??
        trial?.agent_info?.model_info?.name,
      startedAt,
      finishedAt: trial?.finished_at ?? times.at(-1) ?? context.recordedAt ?? startedAt,
      end: endOf(trial, calls),
      errorMessage: errorMessageOf(trial),
      verification: reward?.verification,
      qualityScore: reward?.qualityScore,
      environment: foreignEnvironment(
        { harness: agent, harnessVersion: trial?.agent_info?.version ?? trajectory?.agent?.version },
        outputs.environment(),
      ),
      calls: toolCallsOf(calls, { notices: outputs.notices() }),
      retryCount: retriesOf(answered),
      // without a trajectory the number of turns is unknown
      turnCount: trajectory === undefined ? undefined : turns,
      tags: [
        'atif',
        ...(agent === undefined ? [] : [`agent:${agent}`]),
        ...(parent === undefined ? [] : ['sub-agent']),
      ],
    },
    tally,
    context,
  );
  if (content === undefined) return undefined;
  return { ...content, executionId: `atif:${name}:${sha256(canonicalJson(content)).slice(0, 8)}` };
}

function promptOf(steps: readonly AtifStep[]): string | undefined {
  const message = steps.find(({ source }) => source === 'user')?.message;
  const text = typeof message === 'string' ? message : contentText(message);
  return text.trim() === '' ? undefined : text;
}

interface StepContext {
  readonly at: string;
  readonly reply: string;
  readonly outputs: ObservedOutputs;
}

function callsOf(step: AtifStep, { at: startedAt, reply, outputs }: StepContext): RawCall[] {
  const at = step.timestamp ?? startedAt;
  const results = (step.observation?.results ?? []).flatMap((result) => AtifResult.safeParse(result).data ?? []);
  return (step.tool_calls ?? []).flatMap((entry, n) => {
    const call = AtifToolCall.safeParse(entry);
    if (!call.success) return [];
    const { tool_call_id: id, function_name: name, arguments: input } = call.data;
    // without ids, results have the order of the calls
    const result =
      results.find(({ source_call_id: of }) => of !== undefined && of === id) ??
      (id === undefined ? results[n] : undefined);
    if (result === undefined) return [{ name, input, at, reply }];
    const { exit_code: code, is_error: marked } = result.extra ?? {};
    const read = readUnmarked(name, contentText(result.content));
    const failed = marked ?? (code === undefined ? read.failed : code !== 0);
    outputs.read(name, input, read.text, failed);
    // only steps have times, so the duration of a call is unknown
    return [
      { name, input, at, reply, result: { failed, text: failed ? keptError(read.text) : '', at, durationMs: -1 } },
    ];
  });
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (typeof part === 'object' && part !== null && 'text' in part ? part.text : part))
    .filter((part) => typeof part === 'string')
    .join('\n');
}

function endOf(trial: HarborResult | undefined, calls: readonly RawCall[]): ForeignEnd {
  const type = trial?.exception_info?.exception_type;
  if (trial?.exception_info) return { kind: 'stopped', reason: type ?? 'exception' };
  return calls.at(-1) !== undefined && calls.at(-1)?.result === undefined ? { kind: 'unfinished' } : { kind: 'ended' };
}

function errorMessageOf(trial: HarborResult | undefined): string | undefined {
  const message = trial?.exception_info?.exception_message;
  return message === undefined ? undefined : errorFields('', message).errorMessage;
}
