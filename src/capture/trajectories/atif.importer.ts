import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { readable } from '../../platform/base/lenient.schema.js';
import { clipId, rewardOf } from '../importers/foreign-report.js';
import { ImportTally, parseDocument } from '../importers/import-tally.js';
import { type ImportContext, streamingImporter } from '../importers/importer.js';
import { contentText, stated } from '../importers/json-fields.js';
import { type Product, ProductSession, reportOfSession } from '../importers/product-session.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { AtifResult, AtifStep, AtifToolCall, AtifTrajectory, HarborResult } from './atif.schema.js';

const ATIF: Product = { format: 'atif', title: 'ATIF', unit: 'trajectory', harness: '' };

/** Maximum number of sub-agent trajectories, over all levels. */
const MAX_TRAJECTORIES = 200;

/**
 * Imports ATIF trajectories, one JSON document per file, as Harbor, VS Code Copilot, Devin and others write them. The
 * format has no outcome and no mark for failed calls; Harbor's `result.json` beside it has the reward and the
 * exception.
 */
export const atifImporter = streamingImporter({
  format: ATIF.format,
  recognises: (record) => 'trial_name' in record || /^ATIF-v/.test(String(record['schema_version'])),
  *stream(lines: Iterable<string>, context: ImportContext = {}) {
    const tally = new ImportTally();
    const document = parseDocument([...lines], tally);
    const beside = context.judgements?.find(({ name }) => name === 'result.json');
    const harbor = HarborResult.safeParse(beside === undefined ? document : parseDocument([beside.text]));
    const trial = harbor.success ? harbor.data : undefined;
    const trajectory = AtifTrajectory.safeParse(document);
    if (!trajectory.success && trial === undefined) {
      if (document !== undefined) tally.badLines += 1;
      tally.omit('no turns');
      return tally.read();
    }
    const main = reportOf(trajectory.data, { trial, context, tally });
    const reports = main === undefined ? [] : [main, ...subReports(trajectory.data, main, context, tally)];
    for (const report of reports) yield { report, skillUses: [] };
    return tally.read();
  },
});

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

function reportOf(
  trajectory: AtifTrajectory | undefined,
  { trial, parent, context, tally }: ReportContext,
): ExecutionReport | undefined {
  const steps = (trajectory?.steps ?? []).map((step) => AtifStep.safeParse(step).data);
  const read = steps.filter((step) => step !== undefined);
  const times = read.flatMap(({ timestamp }) => timestamp ?? []).sort((a, b) => Date.parse(a) - Date.parse(b));
  const name = clipId(
    trial?.trial_name ?? trajectory?.trajectory_id ?? trajectory?.session_id ?? context.sessionHint ?? 'unnamed',
  );
  const agent = trial?.agent_info?.name ?? trajectory?.agent?.name;
  const reward = rewardOf(trial?.verifier_result?.rewards ?? {});
  const session = new ProductSession();
  session.id = parent?.sessionId ?? name;
  if (parent !== undefined) [session.parent, session.part] = [parent.sessionId, name];
  session.addPrompt(promptOf(read) ?? stated(trial?.task_name) ?? name);
  session.startedAt = trial?.started_at ?? times[0] ?? context.recordedAt;
  session.finishedAt = trial?.finished_at ?? times.at(-1) ?? context.recordedAt ?? session.startedAt;
  session.model =
    read.findLast(({ model_name }) => model_name)?.model_name ??
    trajectory?.agent?.model_name ??
    trial?.agent_info?.model_info?.name;
  session.harness = agent;
  session.version = trial?.agent_info?.version ?? trajectory?.agent?.version;
  session.tags = agent === undefined ? [] : [`agent:${agent}`];
  session.verification = reward?.verification;
  session.qualityScore = reward?.qualityScore;
  session.errorMessage = trial?.exception_info?.exception_message;
  // without a trajectory the number of turns is unknown
  session.turns = trajectory === undefined ? undefined : 0;
  for (const [n, step] of steps.entries()) {
    if (step === undefined) session.addHole();
    else addStep(session, step, `${n}`);
  }
  const exception = trial?.exception_info;
  if (exception) session.end = { kind: 'stopped', reason: exception.exception_type ?? 'exception' };
  else if (session.calls.length === 0 || session.calls.at(-1)?.result !== undefined) session.end = 'ended';
  const content = reportOfSession(ATIF, session, { ...context, parentExecutionId: parent?.executionId }, tally);
  if (content === undefined) return undefined;
  const digest = sha256(canonicalJson({ ...content, executionId: ATIF.format })).slice(0, 8);
  return { ...content, executionId: `${ATIF.format}:${name}:${digest}` };
}

function promptOf(steps: readonly AtifStep[]): string | undefined {
  return stated(contentText(steps.find(({ source }) => source === 'user')?.message));
}

/** Ids of calls name a call in its step only. Without ids, results have the order of the calls. */
function addStep(session: ProductSession, step: AtifStep, reply: string): void {
  const at = step.timestamp ?? session.startedAt ?? '';
  const results = readable(step.observation?.results, AtifResult);
  if (step.source === 'agent') session.replies.add(reply);
  for (const [n, entry] of (step.tool_calls ?? []).entries()) {
    const { data } = AtifToolCall.safeParse(entry);
    if (data === undefined) {
      session.addHole();
      continue;
    }
    const { tool_call_id: id, function_name: name, arguments: input } = data;
    const call = session.addCall(id ?? '', { name, input, at, reply });
    const named = results.findIndex(({ source_call_id: of }) => of !== undefined && of === id);
    const result = named >= 0 ? results.splice(named, 1)[0] : id === undefined ? results[n] : undefined;
    if (result === undefined) continue;
    const { exit_code: code, is_error: marked } = result.extra ?? {};
    const { failed, text } = readUnmarked(name, contentText(result.content));
    // only steps have times, so the duration of a call is unknown
    session.finish(call, { failed: marked ?? (code === undefined ? failed : code !== 0), text, durationMs: -1 }, at);
  }
}
