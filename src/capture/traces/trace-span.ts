import { optional } from '../../platform/base/optional.js';
import type { FragmentIdentifiers, FragmentSignal } from '../importers/fragment-format.js';
import { taskOf } from '../importers/task-sources.js';
import type { OtlpSpan } from '../otlp/otlp.schema.js';
import { type Attributes, attributesOf, eventsOf, type SpanEventFacts, textAt } from '../otlp/otlp-attributes.js';
import type { ExecutionEnvironment } from '../report/execution-report.schema.js';
import { failureFacts, skillAt, toolFacts, toolName } from './call-attributes.js';
import { messageFragments } from './message-fragments.js';
import { conversationFacts, type RecordFragment, spanKey } from './record-fragment.js';
import { optionalField, type SpanFacts } from './span-facts.js';
import { conversationOf, productOfSpan, productSession, sessionPlace, TRACE_FORMAT } from './telemetry-product.js';
import { evaluationOf, promptOf } from './trace-content.js';
import { kindOfSpan } from './trace-span-kind.js';

/**
 * The fragments of a span: its own, and those of the calls in the messages of a request to a model. `environment`: what
 * the resource of the span says about it. `place`: of the span in its export, which has calls in the order of their ends.
 */
export function spanFragments(
  span: OtlpSpan,
  identifiers: FragmentIdentifiers,
  environment: ExecutionEnvironment | undefined,
  place: number,
): RecordFragment[] {
  const attributes = attributesOf(span.attributes);
  const product = productOfSpan(span.name, attributes);
  const session = sessionPlace(product, attributes, identifiers);
  const callId = textAt(attributes, 'gen_ai.tool.call.id', 'tool_use_id', 'tool_call.id');
  const facts = factsOf(span, attributes);
  const keyOf = (spanId: string): string => spanKey(session !== undefined, span.traceId, spanId);
  const parentKey = span.parentSpanId === undefined ? undefined : keyOf(span.parentSpanId);
  const fragment: RecordFragment = {
    ...(session ?? { format: TRACE_FORMAT, key: span.traceId.toLowerCase() }),
    fragmentKey: keyOf(span.spanId),
    parentKey,
    joinKey: callId === undefined ? undefined : identifiers.keyOf(callId),
    signal: signalOf(facts.kind, parentKey, session !== undefined),
    facts: {
      ...facts,
      ...(facts.kind === 'tool' ? { order: place } : {}),
      ...conversationFacts(
        session === undefined ? conversationOf(attributes) : productSession(attributes),
        identifiers,
      ),
      ...optional('environment', environment),
    },
  };
  if (facts.kind !== 'model') return [fragment];
  return [fragment, ...messageFragments(fragment, attributes, eventsOf(span), identifiers)];
}

/**
 * A span is sent after its end: the end of the root ends the trace, and the end of an agent's span may end its
 * execution. The root of a product's trace is one prompt of a session, which may go on.
 */
function signalOf(kind: SpanFacts['kind'], parentKey: string | undefined, isOfSession: boolean): FragmentSignal {
  if (isOfSession) return kind === 'agent' && parentKey === undefined ? 'paused' : 'none';
  if (parentKey === undefined) return 'ended';
  return kind === 'agent' ? 'paused' : 'none';
}

function factsOf(span: OtlpSpan, attributes: Attributes): SpanFacts {
  const kind = kindOfSpan(span.name, attributes);
  const events = kind === 'other' ? [] : eventsOf(span);
  const name = toolName(span.name, attributes);
  return {
    kind,
    startedAt: new Date(span.startTimeUnixNano).toISOString(),
    endedAt: new Date(Math.max(span.startTimeUnixNano, span.endTimeUnixNano)).toISOString(),
    ...(kind === 'other'
      ? { failed: isDenied(attributes), ...deniedFacts(attributes) }
      : failureFacts({ isError: isError(span), message: span.status?.message, events }, attributes, name)),
    ...(kind === 'tool' ? toolFacts(name, attributes) : {}),
    ...(kind === 'model' ? modelFacts(attributes, events) : {}),
    ...(kind === 'agent' ? agentFacts(attributes, events) : {}),
  };
}

const isError = ({ status }: OtlpSpan): boolean => status?.code === 2 || status?.code === 'STATUS_CODE_ERROR';

/** Claude Code has a separate span for the question to the user. A denied call never ran. */
const isDenied = (attributes: Attributes): boolean =>
  attributes.get('span.type') === 'tool.blocked_on_user' &&
  /^(?:reject|deny|denied|abort)/.test(textAt(attributes, 'decision') ?? '');

const deniedFacts = (attributes: Attributes) => (isDenied(attributes) ? { errorCategory: 'denied', ran: false } : {});

/** What may be stored of a request to a model. */
export function modelFacts(attributes: Attributes, events: readonly SpanEventFacts[]) {
  const reasons = attributes.get('gen_ai.response.finish_reasons');
  const last = Array.isArray(reasons) ? reasons.at(-1) : reasons;
  return {
    ...optionalField(
      'model',
      textAt(attributes, 'gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'model'),
    ),
    ...optionalField(
      'finish',
      typeof last === 'string' ? last : textAt(attributes, 'stop_reason', 'gen_ai.finish_reason', 'llm.finish_reason'),
    ),
    ...optionalField('skill', skillAt(attributes)),
    ...taskOf(promptOf(attributes, events)),
  };
}

function agentFacts(attributes: Attributes, events: readonly SpanEventFacts[]) {
  return {
    ...optionalField('agentName', textAt(attributes, 'gen_ai.agent.name', 'agent.name', 'traceloop.entity.name')),
    ...taskOf(promptOf(attributes, events)),
    ...evaluationOf(events),
  };
}
