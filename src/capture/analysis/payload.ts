import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { optional } from '../../platform/base/optional.js';
import { clip } from '../../untrusted/text/clip.js';
import { dangersOfCall, parseAction } from '../actions/action.js';
import type { Obstacle } from '../observations/obstacle.schema.js';
import { privateCall, privateErrorLine, privateLine } from '../observations/private-call.js';
import type { ProjectKind } from '../observations/project-kind.js';
import { countedCalls } from '../report/call-lineage.js';
import type { ExecutionEnvironment, ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import type { AnalysisPayload } from './payload.schema.js';

/** How many calls and error lines a proposer receives, and their maximum lengths in characters. */
export const PAYLOAD_LIMITS = {
  calls: 40,
  errorLines: 8,
  errorLine: 300,
  task: 200,
  word: 100,
  obstacles: 10,
} as const;

/** The message of an execution is that of no tool. */
const OF_EXECUTION = { name: '', action: '' } as const;

/** The analysis payload of a learnable report. */
export function analysisPayload(
  kind: AnalysisPayload['kind'],
  report: ExecutionReport,
  { project }: { readonly project?: ProjectKind },
  obstacles: readonly Obstacle[],
): AnalysisPayload {
  const { errorCategory, errorMessage, missingCapability, turnCount, toolCalls } = report;
  const shown = selectCalls(toolCalls);
  const error = errorMessage === undefined ? undefined : privateErrorLine({ ...OF_EXECUTION, errorMessage });
  return {
    kind,
    task: taskOf(report),
    environment: environmentFacts(report.environment, project),
    status: report.status,
    terminationReason: privateLine(report.terminationReason, PAYLOAD_LIMITS.task),
    calls: limitErrorLines(shown.map(callOf)),
    omittedCalls: countedCalls(toolCalls).length - countedCalls(shown).length,
    obstacles: [...obstacles],
    retryCount: report.retryCount,
    ...(errorCategory ? { errorCategory: privateLine(errorCategory, PAYLOAD_LIMITS.word) } : {}),
    ...(error ? { errorMessage: error } : {}),
    ...(missingCapability ? { missingCapability: privateLine(missingCapability, PAYLOAD_LIMITS.task) } : {}),
    ...optional('turnCount', turnCount),
  };
}

function taskOf({ taskTitle, taskDescription, taskType }: ExecutionReport): AnalysisPayload['task'] {
  return {
    title: privateLine(taskTitle, PAYLOAD_LIMITS.task),
    ...(taskDescription ? { description: privateLine(taskDescription, PAYLOAD_LIMITS.task) } : {}),
    ...(taskType ? { type: privateLine(taskType, PAYLOAD_LIMITS.word) } : {}),
  };
}

/**
 * The calls to show: those that count, and the neighbours of failures that do, in order; of a long execution only the
 * failures with their neighbours.
 */
function selectCalls(reported: readonly ToolCall[]): ToolCall[] {
  const calls = reported.filter(({ resultLost }) => resultLost !== true);
  const wanted = new Set<number>();
  calls.forEach(({ ok, copied }, index) => {
    if (ok || copied || wanted.size >= PAYLOAD_LIMITS.calls) return;
    for (let near = index - 1; near <= index + 3; near += 1) wanted.add(near);
  });
  const all = calls.filter(({ copied }, index) => copied !== true || wanted.has(index));
  if (all.length <= PAYLOAD_LIMITS.calls) return all;
  const shown = calls.filter((_, index) => wanted.has(index));
  return (shown.length > 0 ? shown : all).slice(0, PAYLOAD_LIMITS.calls);
}

function callOf(call: ToolCall): AnalysisPayload['calls'][number] {
  const shown = privateCall(call);
  const errorLine = call.ok ? undefined : privateErrorLine(call);
  return {
    tool: shown?.tool ?? clip(call.name, 80),
    ...(shown ? { call: shown.call } : {}),
    purpose: parseAction(call.name, call.action).shape.purpose,
    ok: call.ok,
    ...optional('ran', call.ran),
    ...(call.ok && skipsCheck(call) ? { skipsCheck: true } : {}),
    ...(call.errorCategory ? { errorCategory: privateLine(call.errorCategory, PAYLOAD_LIMITS.word) } : {}),
    ...(errorLine ? { errorLine } : {}),
  };
}

const skipsCheck = ({ name, action }: ToolCall): boolean =>
  dangersOfCall(name, action).some((danger) => danger.class === 'check');

/** Keeps the first error lines; the same line again says nothing new. */
function limitErrorLines(calls: AnalysisPayload['calls']): AnalysisPayload['calls'] {
  const shown = new Set<string>();
  return calls.map(({ errorLine, ...call }) => {
    if (errorLine === undefined || shown.has(errorLine) || shown.size >= PAYLOAD_LIMITS.errorLines) return call;
    shown.add(errorLine);
    return { ...call, errorLine };
  });
}

const LONGEST = { name: 40, value: 80 } as const;

/** The known facts about where an execution ran, without private values. */
function environmentFacts(
  environment: ExecutionEnvironment | undefined,
  projectKind: ProjectKind | undefined,
): EnvironmentFact[] {
  const { harness, harnessVersion = '', operatingSystem, interpreters = [], project, repository } = environment ?? {};
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['harness', harness === undefined ? undefined : `${harness} ${harnessVersion}`],
    ['operating system', operatingSystem],
    ['project kind', projectKind],
    ['project', project],
    ['repository', repository],
    ...interpreters.map(({ name, version }) => [name, version] as const),
  ];
  return facts.flatMap(([name, value]) => {
    const fact = { name: privateLine(name, LONGEST.name), value: privateLine(value ?? '', LONGEST.value) };
    return fact.name === '' || fact.value === '' ? [] : [fact];
  });
}
