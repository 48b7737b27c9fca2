import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { countRetries } from '../importers/foreign-call.js';
import { type ForeignEnd, isBadStop } from '../importers/foreign-end.js';
import { foreignReport } from '../importers/foreign-report.js';
import type { AssembledExecution, AssemblyStage, StoredFragment } from '../importers/fragment-format.js';
import { ImportTally } from '../importers/import-tally.js';
import { taskHash } from '../importers/task-sources.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import { sumRedactions } from '../report/redaction-sum.js';
import { SkillUseTally } from '../report/skill-use.js';
import { type SpanGroup, type TraceSpan, TraceTree } from './trace-tree.js';

/**
 * Stop reasons of a model that waits for a tool. An agent whose last answer has one of them ran out of turns or was
 * stopped.
 */
const TOOL_STOP_REASONS: ReadonlySet<string> = new Set(['tool_use', 'tool_calls', 'tool_call', 'function_call']);

/**
 * The executions of a trace that are finished at this stage. Others stay for a later stage; traces without an agent are
 * counted in the tally.
 */
export function assembleTraceExecutions(
  trace: string,
  fragments: readonly StoredFragment[],
  stage: AssemblyStage,
  tally: ImportTally = new ImportTally(),
): AssembledExecution[] {
  const tree = new TraceTree(fragments);
  return tree.groups().flatMap((group) => {
    if (!isFinished(group, stage)) return [];
    const execution = new TracedExecution(trace, tree, group);
    if (!execution.isAgentRun()) {
      tally.omit('spans without an agent and its tool calls', group.spans.length);
      return [];
    }
    const report = execution.report(tally);
    return report === undefined
      ? []
      : [
          {
            report,
            skillUses: execution.skillUses(report),
            findings: sumRedactions(...group.spans.map(({ fragment }) => fragment.findings)),
          },
        ];
  });
}

function isFinished({ agent, complete }: SpanGroup, stage: AssemblyStage): boolean {
  return stage === 'expired' || complete || (stage === 'paused' && agent !== undefined);
}

class TracedExecution {
  readonly #calls: readonly TracedCall[];
  readonly #models: readonly TraceSpan[];

  constructor(
    readonly trace: string,
    readonly tree: TraceTree,
    readonly group: SpanGroup,
  ) {
    this.#calls = callsOf(group.spans);
    this.#models = group.spans.filter((span) => span.facts.kind === 'model' && this.#isOwn(span));
  }

  /** False for a trace of web requests, and for a model call outside an agent. */
  isAgentRun(): boolean {
    if (this.group.agent !== undefined) return true;
    return this.#calls.length > 0 && (this.group.complete || this.#models.length > 0);
  }

  report(tally: ImportTally): ExecutionReport | undefined {
    const { agent, spans } = this.group;
    const { conversation, conversationTask } =
      [agent, ...this.#models, ...spans].find((span) => span?.facts.conversation)?.facts ?? {};
    const calls = repliesOf(this.#calls, this.#models);
    const failure = this.#failure();
    const content = foreignReport(
      {
        executionId: 'otel',
        taskTitle: 'Traced agent run',
        task: this.#task() ?? conversationTask ?? taskHash(`session ${this.trace}`),
        sources: spans.flatMap(({ facts }) => facts.sources ?? []),
        sessionId: conversation ?? this.trace,
        model: this.#models.findLast(({ facts }) => facts.model)?.facts.model,
        startedAt: agent?.facts.startedAt ?? spans[0]?.facts.startedAt,
        finishedAt:
          agent?.facts.endedAt ??
          spans
            .map(({ facts }) => facts.endedAt)
            .sort()
            .at(-1),
        environment: [agent, ...spans].find((span) => span?.facts.environment)?.facts.environment,
        end: this.#end(failure),
        errorMessage: failure?.facts.errorMessage,
        verification:
          agent?.facts.evaluation === undefined ? undefined : { outcome: agent.facts.evaluation, source: 'evaluator' },
        calls,
        retryCount: countRetries(calls.map(({ name, action, ok }) => ({ key: `${name}\n${action}`, failed: !ok }))),
        turnCount: this.#models.length === 0 ? undefined : this.#models.length,
        tags: ['otel', ...(agent?.facts.agentName === undefined ? [] : [`agent:${agent.facts.agentName}`])],
      },
      tally,
    );
    if (content === undefined) return undefined;
    // Late spans give another execution of the same session. The same spans give the same id, however they were split
    // into fragments, and whether the conversation is a reference or an id.
    const digest = sha256(canonicalJson({ ...content, sessionId: undefined })).slice(0, 8);
    return { ...content, executionId: `otel:${this.trace}:${agent?.key ?? 'trace'}:${digest}` };
  }

  skillUses(report: ExecutionReport): AssembledExecution['skillUses'] {
    const uses = new SkillUseTally();
    for (const { span, call } of this.#calls) if (call.ok) uses.add(span.facts.skill, 'loaded', span.facts.endedAt);
    for (const { facts } of this.#models) uses.add(facts.skill, 'applied', facts.startedAt);
    return uses.of(report);
  }

  /** True for a model call of this agent itself: not of a sub-agent, and not a second span for the same request. */
  #isOwn(model: TraceSpan): boolean {
    const seen = new Set<TraceSpan>([model]);
    let at = this.tree.parent(model);
    while (at !== undefined && at !== this.group.agent && !seen.has(at)) {
      if (at.facts.kind !== 'other') return false;
      seen.add(at);
      at = this.tree.parent(at);
    }
    return true;
  }

  #task(): string | undefined {
    return this.group.agent?.facts.task ?? this.#models.find(({ facts }) => facts.task)?.facts.task;
  }

  /**
   * The span that failed the run: the last model request, also if the agent's span reports no error, or the agent's
   * span.
   */
  #failure(): TraceSpan | undefined {
    const last = this.#models.at(-1);
    if (last?.facts.failed === true) return last;
    return this.group.agent?.facts.failed === true ? this.group.agent : undefined;
  }

  #end(failure: TraceSpan | undefined): ForeignEnd {
    const last = this.#models.at(-1)?.facts;
    if (failure !== undefined) {
      const { kind, errorType, errorCategory, httpStatus } = failure.facts;
      if (/abort|cancel/i.test(errorType ?? '')) return { kind: 'interrupted' };
      if (kind === 'model') return { kind: 'api_error', status: httpStatus, type: errorType ?? '' };
      return { kind: 'stopped', reason: errorType ?? errorCategory ?? 'error' };
    }
    if (this.group.agent === undefined && !this.group.complete) return { kind: 'unfinished' };
    if (last?.finish !== undefined && isBadStop(last.finish)) return { kind: 'stopped', reason: last.finish };
    return last?.finish !== undefined && TOOL_STOP_REASONS.has(last.finish)
      ? { kind: 'unfinished' }
      : { kind: 'ended' };
  }
}

/** The largest number of calls of one reply that a report can hold. */
const MAX_REPLY = 10_000;

interface TracedCall {
  readonly span: TraceSpan;
  readonly call: ToolCall;
}

/** One call per tool span. Spans with the same call id are one call, and the error may be on any of them. */
function callsOf(spans: readonly TraceSpan[]): TracedCall[] {
  const outer = new Map<string, TraceSpan>();
  for (const span of spans) {
    const id = span.joinKey ?? span.key;
    if (span.facts.kind === 'tool' && !outer.has(id)) outer.set(id, span);
  }
  const parts = new Map<TraceSpan, TraceSpan[]>();
  const byKey = new Map([...outer.values()].map((span) => [span.key, span]));
  for (const span of spans) {
    const { kind, errorCategory } = span.facts;
    const owner =
      (span.joinKey === null ? undefined : outer.get(span.joinKey)) ??
      (kind === 'execution' || (kind === 'other' && errorCategory !== undefined)
        ? byKey.get(span.parentKey ?? '')
        : undefined);
    if (owner === undefined || owner === span) continue;
    const known = parts.get(owner);
    if (known === undefined) parts.set(owner, [span]);
    else known.push(span);
  }
  return [...outer.values()].map((span) => ({ span, call: callOf(span, parts.get(span) ?? []) }));
}

/**
 * The calls, each with its place among those between two requests to the model. Those after the last request have none:
 * an instrumentation that records not all requests would make one reply of many.
 */
function repliesOf(calls: readonly TracedCall[], models: readonly TraceSpan[]): ToolCall[] {
  const starts = models.map(({ facts }) => facts.startedAt).sort();
  const replies = calls.map(({ span }) => starts.findLastIndex((start) => start <= span.facts.startedAt));
  const sizes = new Map<number, number>();
  for (const reply of replies) sizes.set(reply, (sizes.get(reply) ?? 0) + 1);
  const seen = new Map<number, number>();
  return calls.map(({ call }, at) => {
    const reply = replies[at] ?? -1;
    const position = (seen.get(reply) ?? 0) + 1;
    seen.set(reply, position);
    const size = sizes.get(reply) ?? 1;
    const isOpen = reply < 0 || reply === starts.length - 1;
    return isOpen || size > MAX_REPLY ? call : { ...call, reply: { position, calls: size } };
  });
}

function callOf(span: TraceSpan, parts: readonly TraceSpan[]): ToolCall {
  const { tool, startedAt, endedAt } = span.facts;
  const failed = [...parts, span].filter(({ facts }) => facts.failed).map(({ facts }) => facts);
  const reported = failed.find(({ errorMessage }) => errorMessage) ?? failed[0];
  const duration = Date.parse(endedAt) - Date.parse(startedAt);
  const ran = failed.length === 0 ? true : failed.find((facts) => facts.ran !== undefined)?.ran;
  return {
    name: tool?.name ?? 'unnamed',
    action: tool?.action ?? '',
    ok: failed.length === 0,
    ...(reported?.errorCategory === undefined ? {} : { errorCategory: reported.errorCategory.slice(0, 100) }),
    ...(reported?.errorMessage === undefined ? {} : { errorMessage: reported.errorMessage }),
    ...(reported?.errorLine === undefined ? {} : { errorLine: reported.errorLine }),
    ...(tool?.arguments === undefined ? {} : { arguments: tool.arguments }),
    ...(ran === undefined ? {} : { ran }),
    ...(duration <= 1_000_000 ? { durationMs: duration } : {}),
  };
}
