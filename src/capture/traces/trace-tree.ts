import { compareText } from '../../platform/base/compare-text.js';
import type { StoredFragment } from '../importers/fragment-format.js';
import { SpanFacts } from './span-facts.js';

export interface TraceSpan {
  readonly key: string;
  readonly parentKey: string | null;
  readonly joinKey: string | null;
  readonly facts: SpanFacts;
  readonly fragment: StoredFragment;
}

/**
 * The spans and log records of one execution: those below the topmost agent, all of a trace without an agent, or all of
 * a session.
 */
export interface SpanGroup {
  /** The topmost agents by start time: one or none in a trace, one for each prompt of a session. */
  readonly agents: readonly TraceSpan[];
  /** Ordered by start time. */
  readonly spans: readonly TraceSpan[];
  /** Every span up to the trace's root has arrived, so no agent above this one can still be running. Log records do not count. */
  readonly complete: boolean;
}

interface SpanAncestry {
  readonly top: TraceSpan | undefined;
  readonly complete: boolean;
}

/** The readable spans of a trace, linked to their parents. */
export class TraceTree {
  readonly spans: readonly TraceSpan[];
  readonly #byKey: ReadonlyMap<string, TraceSpan>;

  constructor(fragments: readonly StoredFragment[]) {
    this.spans = fragments
      .flatMap((fragment) => {
        const facts = SpanFacts.safeParse(fragment.facts);
        const { key, parentKey, joinKey } = fragment;
        return facts.success ? [{ key, parentKey, joinKey, facts: facts.data, fragment }] : [];
      })
      .sort(
        (a, b) =>
          compareText(a.facts.startedAt, b.facts.startedAt) ||
          (a.facts.order ?? 0) - (b.facts.order ?? 0) ||
          compareText(a.key, b.key),
      );
    this.#byKey = new Map(this.spans.map((span) => [span.key, span]));
  }

  parent({ parentKey }: TraceSpan): TraceSpan | undefined {
    return parentKey === null ? undefined : this.#byKey.get(parentKey);
  }

  /**
   * The spans grouped by topmost agent; sub-agents belong to the agent above them. Spans below a span that never
   * arrived belong to the agent if there is only one.
   */
  groups(): SpanGroup[] {
    const ancestries = this.#ancestries();
    const groups = new Map<TraceSpan | undefined, TraceSpan[]>();
    for (const span of this.spans) {
      const top = ancestries.get(span)?.top;
      const members = groups.get(top);
      if (members === undefined) groups.set(top, [span]);
      else members.push(span);
    }
    const agents = [...groups.keys()].filter((agent) => agent !== undefined);
    const [only] = agents;
    if (agents.length === 1 && only !== undefined) return [this.#group(only, this.spans, ancestries)];
    // With several agents, the owner of a span below none of them is unknown.
    if (agents.length > 1) return agents.map((agent) => this.#group(agent, groups.get(agent) ?? [], ancestries));
    return this.spans.length === 0 ? [] : [this.#group(undefined, this.spans, ancestries)];
  }

  #group(
    agent: TraceSpan | undefined,
    spans: readonly TraceSpan[],
    ancestries: ReadonlyMap<TraceSpan, SpanAncestry>,
  ): SpanGroup {
    const complete = agent === undefined ? spans.some(isRoot) : ancestries.get(agent)?.complete;
    return { agents: agent === undefined ? [] : [agent], spans, complete: complete === true };
  }

  /** All spans as those of one session; undefined without any. */
  session(): SpanGroup | undefined {
    if (this.spans.length === 0) return undefined;
    const ancestries = this.#ancestries();
    const agents = this.spans.filter((span) => ancestries.get(span)?.top === span);
    return { agents, spans: this.spans, complete: true };
  }

  /**
   * For each span the topmost agent above it, or the span itself. Visits each span once; a cycle of parents ends the
   * walk.
   */
  #ancestries(): Map<TraceSpan, SpanAncestry> {
    const ancestries = new Map<TraceSpan, SpanAncestry>();
    for (const span of this.spans) {
      const path: TraceSpan[] = [];
      const onPath = new Set<TraceSpan>();
      let at: TraceSpan | undefined = span;
      while (at !== undefined && !ancestries.has(at) && !onPath.has(at)) {
        path.push(at);
        onPath.add(at);
        at = this.parent(at);
      }
      const known = at === undefined ? undefined : ancestries.get(at);
      let ancestry: SpanAncestry = known ?? { top: undefined, complete: isRoot(path.at(-1)) };
      for (const step of path.reverse()) {
        if (ancestry.top === undefined && step.facts.kind === 'agent') ancestry = { ...ancestry, top: step };
        ancestries.set(step, ancestry);
      }
    }
    return ancestries;
  }
}

/** A log record without a span above it is no root: it says nothing of the spans that may follow. */
const isRoot = (span: TraceSpan | undefined): boolean => span?.parentKey === null && span.facts.logged !== true;
