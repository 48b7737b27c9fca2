import { compareText } from '../../platform/base/compare-text.js';
import { optional } from '../../platform/base/optional.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import type { TraceSpan } from './trace-tree.js';

/** A tool call, and the span or log record that tells of it first. */
export interface TracedCall {
  readonly span: TraceSpan;
  readonly call: ToolCall;
}

/** The largest number of calls of one reply that a report can hold. */
const MAX_REPLY = 10_000;

/**
 * One call per tool span. Spans and log records with the same call id are one call, and the error may be on any of them.
 * Without spans and records of tools, the calls in the messages of the models count.
 */
export function callsOf(spans: readonly TraceSpan[]): TracedCall[] {
  const tools = spans.filter(({ facts }) => facts.kind === 'tool');
  if (tools.length === 0) return callsOfMessages(spans);
  const outer = new Map<string, TraceSpan>();
  for (const isLogged of [false, true])
    for (const span of tools) {
      const id = span.joinKey ?? span.key;
      if ((span.facts.logged === true) === isLogged && !outer.has(id)) outer.set(id, span);
    }
  const parts = new Map<TraceSpan, TraceSpan[]>();
  const byKey = new Map([...outer.values()].map((span) => [span.key, span]));
  for (const span of spans) {
    const { kind, errorCategory } = span.facts;
    if (kind === 'asked' || kind === 'answered') continue;
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
  const found = new Set(outer.values());
  return spans.filter((span) => found.has(span)).map((span) => ({ span, call: callOf(span, parts.get(span) ?? []) }));
}

/** Each call that has a result. The request that asked for it can be missing. */
function callsOfMessages(spans: readonly TraceSpan[]): TracedCall[] {
  const asked = new Map<string, TraceSpan>();
  const answered = new Map<string, TraceSpan>();
  for (const span of spans) {
    const { kind } = span.facts;
    const known = kind === 'asked' ? asked : kind === 'answered' ? answered : undefined;
    if (known !== undefined && span.joinKey !== null && !known.has(span.joinKey)) known.set(span.joinKey, span);
  }
  const calls = [...answered].map(([id, result]) => {
    const request = asked.get(id);
    if (request === undefined) return { span: result, call: callOf(result, []) };
    const { startedAt, tool } = request.facts;
    const facts = { ...result.facts, startedAt, ...optional('tool', tool) };
    // Its place in the reply is that of the request.
    return { span: request, call: callOf({ ...result, facts }, []) };
  });
  return calls.sort(
    ({ span: a }, { span: b }) =>
      compareText(a.facts.startedAt, b.facts.startedAt) || (a.facts.order ?? 0) - (b.facts.order ?? 0),
  );
}

/**
 * The calls, each with its place among those between two requests to the model. Those after the last request have none:
 * an instrumentation that records not all requests would make one reply of many.
 */
export function repliesOf(calls: readonly TracedCall[], models: readonly TraceSpan[]): ToolCall[] {
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
  const { startedAt, endedAt } = span.facts;
  const tool = fullest([span, ...parts]);
  const failed = [...parts, span].filter(({ facts }) => facts.failed).map(({ facts }) => facts);
  const reported = failed.find(({ errorMessage }) => errorMessage) ?? failed[0];
  const duration = Date.parse(endedAt) - Date.parse(startedAt);
  const ran = failed.length === 0 ? true : failed.find((facts) => facts.ran !== undefined)?.ran;
  return {
    name: span.facts.tool?.name ?? 'unnamed',
    action: tool?.action ?? '',
    ok: failed.length === 0,
    ...(reported?.errorCategory === undefined ? {} : { errorCategory: reported.errorCategory.slice(0, 100) }),
    ...(reported?.errorMessage === undefined ? {} : { errorMessage: reported.errorMessage }),
    ...(reported?.errorLine === undefined ? {} : { errorLine: reported.errorLine }),
    ...(tool?.arguments === undefined ? {} : { arguments: tool.arguments }),
    ...optional('ran', ran),
    ...(duration <= 1_000_000 ? { durationMs: duration } : {}),
  };
}

/** What the span itself, or a log record of the same call, says of its arguments: whichever has more of them. */
function fullest(spans: readonly TraceSpan[]): TraceSpan['facts']['tool'] {
  return spans
    .map(({ facts }) => facts.tool)
    .reduce((best, tool) =>
      best === undefined || (tool?.arguments?.length ?? 0) > (best.arguments?.length ?? 0) ? tool : best,
    );
}
