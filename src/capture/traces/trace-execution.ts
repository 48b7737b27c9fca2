import { retriesOfReported } from '../importers/foreign-call.js';
import { type ForeignEnd, isBadStop } from '../importers/foreign-end.js';
import { foreignReport } from '../importers/foreign-report.js';
import {
  type AssembledExecution,
  type AssemblyStage,
  contentDigest,
  type StoredFragment,
} from '../importers/fragment-format.js';
import { ImportTally } from '../importers/import-tally.js';
import { taskHash } from '../importers/task-sources.js';
import type { ExecutionReport, Verification } from '../report/execution-report.schema.js';
import { PRODUCT_TITLES } from '../report/product-titles.js';
import { sumRedactions } from '../report/sanitised-report.js';
import { SkillUseTally } from '../report/skill-use.js';
import type { SpanFacts } from './span-facts.js';
import { type TelemetryProduct, TRACE_FORMAT, telemetryFormatOf } from './telemetry-product.js';
import { callsOf, repliesOf, type TracedCall } from './trace-calls.js';
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
    const [agent] = group.agents;
    const source = {
      id: (digest: string) => `${TRACE_FORMAT}:${trace}:${agent?.key ?? 'trace'}:${digest}`,
      title: 'Traced agent run',
      fallbackSession: trace,
      tags: [TRACE_FORMAT, ...(agent?.facts.agentName === undefined ? [] : [`agent:${agent.facts.agentName}`])],
      isSession: false,
    };
    return new TracedExecution(source, tree, group).assemble(tally);
  });
}

/** The execution of a product's session, from its spans and its log records: at most one. */
export function assembleSessionExecution(
  product: TelemetryProduct,
  fragments: readonly StoredFragment[],
  tally: ImportTally = new ImportTally(),
): AssembledExecution[] {
  const tree = new TraceTree(fragments);
  const group = tree.session();
  if (group === undefined) return [];
  const session = group.spans.find(({ facts }) => facts.conversation !== undefined)?.facts.conversation ?? 'session';
  const source = {
    id: (digest: string) => `${telemetryFormatOf(product)}:${session}:${digest}`,
    title: PRODUCT_TITLES[product],
    fallbackSession: session,
    tags: [product, TRACE_FORMAT],
    isSession: true,
  };
  return new TracedExecution(source, tree, group).assemble(tally);
}

function isFinished({ agents, complete }: SpanGroup, stage: AssemblyStage): boolean {
  return stage === 'expired' || complete || (stage === 'paused' && agents.length > 0);
}

interface ExecutionSource {
  /** The id of the execution, with the digest of its content. */
  readonly id: (digest: string) => string;
  readonly title: string;
  /** The session of records that name none. */
  readonly fallbackSession: string;
  readonly tags: readonly string[];
  readonly isSession: boolean;
}

class TracedExecution {
  readonly #calls: readonly TracedCall[];
  readonly #models: readonly TraceSpan[];

  constructor(
    readonly source: ExecutionSource,
    readonly tree: TraceTree,
    readonly group: SpanGroup,
  ) {
    this.#calls = callsOf(group.spans);
    const models = group.spans.filter((span) => span.facts.kind === 'model' && this.#isOwn(span));
    // A request that a span and a log record tell of is one request.
    const traced = models.filter(({ facts }) => facts.logged !== true);
    this.#models = traced.length > 0 ? traced : models;
  }

  assemble(tally: ImportTally): AssembledExecution[] {
    if (!this.#isAgentRun()) {
      tally.omit('spans without an agent and its tool calls', this.group.spans.length);
      return [];
    }
    const report = this.#report(tally);
    if (report === undefined) return [];
    const findings = sumRedactions(...this.group.spans.map(({ fragment }) => fragment.findings));
    return [{ report, skillUses: this.#skillUses(report), findings }];
  }

  /** False for a trace of web requests, and for a model call outside an agent. */
  #isAgentRun(): boolean {
    if (this.group.agents.length > 0) return true;
    return this.#calls.length > 0 && (this.group.complete || this.#models.length > 0);
  }

  #report(tally: ImportTally): ExecutionReport | undefined {
    const { agents, spans } = this.group;
    const { conversation, conversationTask } =
      [...agents, ...this.#models, ...spans].find((span) => span.facts.conversation)?.facts ?? {};
    const calls = repliesOf(this.#calls, this.#models);
    const failure = this.#failure();
    const content = foreignReport(
      {
        executionId: TRACE_FORMAT,
        taskTitle: this.source.title,
        task: this.#task() ?? conversationTask ?? taskHash(`session ${this.source.fallbackSession}`),
        sources: spans.flatMap(({ facts }) => facts.sources ?? []),
        sessionId: conversation ?? this.source.fallbackSession,
        model: this.#models.findLast(({ facts }) => facts.model)?.facts.model,
        ...this.#times(),
        environment: [...agents, ...spans].find((span) => span.facts.environment)?.facts.environment,
        end: this.#end(failure),
        errorMessage: failure?.facts.errorMessage,
        verification: this.#verification(),
        calls,
        callKeys: this.#calls.map(({ span }) => span.facts.callKey ?? ''),
        retryCount: retriesOfReported(calls),
        turnCount: this.#models.length === 0 ? undefined : this.#models.length,
        tags: this.source.tags,
      },
      tally,
    );
    if (content === undefined) return undefined;
    // Late spans give another execution of the same session.
    return { ...content, executionId: this.source.id(contentDigest(content)) };
  }

  /** From the start of the agent to its end; without an agent, or with several prompts, those of all records. */
  #times(): { startedAt: string | undefined; finishedAt: string | undefined } {
    const { agents, spans } = this.group;
    const [agent, another] = agents;
    const single = another === undefined && !this.source.isSession ? agent : undefined;
    const ends = spans.map(({ facts }) => facts.endedAt).sort();
    return {
      startedAt: single?.facts.startedAt ?? spans[0]?.facts.startedAt,
      finishedAt: single?.facts.endedAt ?? ends.at(-1),
    };
  }

  /** An evaluator's verdict about the agent, or in a log record. */
  #verification(): Verification | undefined {
    const { agents, spans } = this.group;
    const judged = [...agents, ...spans.filter(({ facts }) => facts.kind === 'other')];
    const outcome = judged.find(({ facts }) => facts.evaluation !== undefined)?.facts.evaluation;
    return outcome === undefined ? undefined : { outcome, source: 'evaluator' };
  }

  #skillUses(report: ExecutionReport): AssembledExecution['skillUses'] {
    const uses = new SkillUseTally();
    for (const { span, call } of this.#calls) if (call.ok) uses.add(span.facts.skill, 'loaded', span.facts.endedAt);
    // An event of its own says that a skill was loaded.
    for (const { facts } of this.group.spans)
      if (facts.kind === 'other' && facts.logged === true) uses.add(facts.skill, 'loaded', facts.endedAt);
    for (const { facts } of this.#models) uses.add(facts.skill, 'applied', facts.startedAt);
    return uses.of(report);
  }

  /** True for a model call of this agent itself: not of a sub-agent, and not a second span for the same request. */
  #isOwn(model: TraceSpan): boolean {
    const seen = new Set<TraceSpan>([model]);
    let at = this.tree.parent(model);
    while (at !== undefined && !this.group.agents.includes(at) && !seen.has(at)) {
      if (at.facts.kind !== 'other') return false;
      seen.add(at);
      at = this.tree.parent(at);
    }
    return true;
  }

  #task(): string | undefined {
    const { agents, spans } = this.group;
    return [...agents, ...this.#models, ...spans].find(({ facts }) => facts.task !== undefined)?.facts.task;
  }

  /**
   * The span that failed the run: the last model request, also if the agent's span reports no error, or the last agent's
   * span.
   */
  #failure(): TraceSpan | undefined {
    const last = this.#models.at(-1);
    if (last?.facts.failed === true) return last;
    const agent = this.group.agents.at(-1);
    return agent?.facts.failed === true ? agent : undefined;
  }

  #end(failure: TraceSpan | undefined): ForeignEnd {
    const last = this.#models.at(-1)?.facts;
    if (failure !== undefined) {
      const { kind, errorType, errorCategory, httpStatus } = failure.facts;
      if (/abort|cancel/i.test(errorType ?? '')) return 'interrupted';
      if (kind === 'model') return { kind: 'api_error', status: httpStatus, type: errorType ?? '' };
      return { kind: 'stopped', reason: errorType ?? errorCategory ?? 'error' };
    }
    if (this.group.agents.length === 0 && !this.group.complete) return 'unfinished';
    if (last?.finish !== undefined && isBadStop(last.finish)) return { kind: 'stopped', reason: last.finish };
    return this.#asksForTool(last) ? 'unfinished' : 'ended';
  }

  /** Log records of products do not say why the model stopped: there a call that no request follows shows it. */
  #asksForTool(last: SpanFacts | undefined): boolean {
    if (last?.finish !== undefined) return TOOL_STOP_REASONS.has(last.finish);
    const lastCall = this.#calls.at(-1)?.span.facts;
    return last?.logged === true && lastCall !== undefined && lastCall.startedAt > last.endedAt;
  }
}
