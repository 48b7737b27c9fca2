import { compareText } from '../../platform/base/compare-text.js';
import { optional } from '../../platform/base/optional.js';
import { callOfFacts } from '../importers/fragment-format.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import type { TraceSpan } from './trace-tree.js';

/** A tool call, and the span or log record that tells of it first. */
export interface TracedCall {
  readonly span: TraceSpan;
  readonly call: ToolCall;
}

/** The largest number of calls of one reply that a report can hold. */
const MAX_REPLY = 10_000;

/** The span or log record that tells of a call first, and the others about it. */
interface CallParts {
  readonly outer: TraceSpan;
  readonly parts: TraceSpan[];
}

/**
 * One call per tool span. Spans and log records with the same call id are one call if they are of the same time, since a
 * gateway can give one id to calls one after the other; the error may be on any of them. Without spans and records of
 * tools, the calls in the messages of the models count.
 */
export function callsOf(spans: readonly TraceSpan[]): TracedCall[] {
  const tools = spans.filter(({ facts }) => facts.kind === 'tool');
  if (tools.length === 0) return callsOfMessages(spans);
  const byId = new Map<string, CallParts[]>();
  const byKey = new Map<string, CallParts>();
  for (const isLogged of [false, true])
    for (const span of tools) {
      if ((span.facts.logged === true) !== isLogged) continue;
      const id = span.joinKey ?? span.key;
      const known = byId.get(id) ?? [];
      if (ownerOf(span, known) !== undefined) continue;
      const call = { outer: span, parts: [] };
      byId.set(id, [...known, call]);
      byKey.set(span.key, call);
    }
  for (const span of spans) {
    const { kind, errorCategory } = span.facts;
    if (kind === 'asked' || kind === 'answered' || byKey.has(span.key)) continue;
    const isPart = kind === 'execution' || (kind === 'other' && errorCategory !== undefined);
    const known = span.joinKey === null ? [] : (byId.get(span.joinKey) ?? []);
    const above = byKey.get(span.parentKey ?? '');
    const isAbove = above !== undefined && (isPart || known.includes(above));
    const owner = isAbove ? above : kind === 'tool' ? ownerOf(span, known) : latestBefore(span, known);
    owner?.parts.push(span);
  }
  return spans.flatMap((span) => {
    const call = byKey.get(span.key);
    return call === undefined ? [] : [{ span, call: callOf(span, call.parts) }];
  });
}

/** The call that a span or record of a tool tells of too. `known`: those with its id. */
function ownerOf(span: TraceSpan, known: readonly CallParts[]): CallParts | undefined {
  const { startedAt, tool, logged, failed } = span.facts;
  const last = latestBefore(span, known);
  if (last === undefined) return undefined;
  const { outer } = last;
  if (outer.facts.logged === true) {
    // a refusal can be followed by the result that says so
    const isSame = tool?.name === outer.facts.tool?.name && startedAt === outer.facts.startedAt;
    return isSame || (outer.facts.ran === false && failed) ? last : undefined;
  }
  if (logged === true || span.parentKey === outer.key) return last;
  const isOverlapping = startedAt < outer.facts.endedAt || startedAt === outer.facts.startedAt;
  const actions = new Set([tool?.action ?? '', outer.facts.tool?.action ?? ''].filter((action) => action !== ''));
  return isOverlapping && actions.size < 2 ? last : undefined;
}

const latestBefore = (span: TraceSpan, known: readonly CallParts[]): CallParts | undefined =>
  known.findLast(({ outer }) => outer.facts.startedAt <= span.facts.endedAt) ?? known[0];

/** The requests for calls with one id that have no result yet, of one request to the model. */
interface AskedCalls {
  readonly open: TraceSpan[];
  readonly isAsked: boolean;
  readonly last?: TraceSpan;
}

/**
 * Each call that has a result. The request that asked for it can be missing. Requests to a model, and their spans, can
 * repeat what they ask and answer.
 */
function callsOfMessages(spans: readonly TraceSpan[]): TracedCall[] {
  const states = new Map<string, AskedCalls>();
  const calls: TracedCall[] = [];
  for (const span of spans) {
    const { joinKey: id, parentKey } = span;
    const { kind } = span.facts;
    if (id === null || (kind !== 'asked' && kind !== 'answered')) continue;
    const { open, isAsked, last } = states.get(id) ?? { open: [], isAsked: false };
    if (kind === 'asked') {
      const isOfSame = open[0]?.parentKey === parentKey;
      if (isOfSame || !open.some((one) => isSameAction(one, span)))
        states.set(id, { open: [...(isOfSame ? open : []), span], isAsked: true });
      continue;
    }
    const [request, ...others] = open;
    if (request === undefined && last !== undefined && (isAsked || isSameAction(last, span))) continue;
    states.set(id, { open: others, isAsked, last: span });
    calls.push(messageCall(request, span));
  }
  return calls.sort(
    ({ span: a }, { span: b }) =>
      compareText(a.facts.startedAt, b.facts.startedAt) || (a.facts.order ?? 0) - (b.facts.order ?? 0),
  );
}

const isSameAction = (a: TraceSpan, b: TraceSpan): boolean => a.facts.tool?.action === b.facts.tool?.action;

function messageCall(request: TraceSpan | undefined, result: TraceSpan): TracedCall {
  if (request === undefined) return { span: result, call: callOf(result, []) };
  const { startedAt, tool } = request.facts;
  const facts = { ...result.facts, startedAt, ...optional('tool', tool) };
  // Its place in the reply is that of the request.
  return { span: request, call: callOf({ ...result, facts }, []) };
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
  const ok = failed.length === 0;
  const ran = ok ? true : failed.find((facts) => facts.ran !== undefined)?.ran;
  const name = span.facts.tool?.name ?? 'unnamed';
  const durationMs = duration <= 1_000_000 ? duration : undefined;
  return callOfFacts({ ...reported, tool: tool && { ...tool, name }, ran, durationMs }, ok);
}

/** What the span itself, or a log record of the same call, says of its arguments: whichever has more of them. */
function fullest(spans: readonly TraceSpan[]): TraceSpan['facts']['tool'] {
  return spans
    .map(({ facts }) => facts.tool)
    .reduce((best, tool) =>
      best === undefined || (tool?.arguments?.length ?? 0) > (best.arguments?.length ?? 0) ? tool : best,
    );
}
