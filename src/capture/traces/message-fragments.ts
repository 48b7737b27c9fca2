import { redactAndClip } from '../importers/foreign-call.js';
import type { FragmentIdentifiers } from '../importers/fragment-format.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import type { Attributes, SpanEventFacts } from '../otlp/otlp-attributes.js';
import { toolFacts } from './call-attributes.js';
import { failedFields } from './fragment-call.js';
import type { RecordFragment } from './record-fragment.js';
import type { SpanFacts } from './span-facts.js';
import { type AnsweredCall, type AskedCall, callsInMessages } from './trace-messages.js';

/** The calls and results in the messages of a request to a model, each as a fragment beside that of the request. */
export function messageFragments(
  request: RecordFragment,
  attributes: Attributes,
  events: readonly SpanEventFacts[],
  identifiers: FragmentIdentifiers,
): RecordFragment[] {
  const { asked, answered } = callsInMessages(attributes, events);
  const ids = new Map<string, number>();
  const fragment = (kind: 'asked' | 'answered', id: string, at: string, facts: Partial<SpanFacts>): RecordFragment => ({
    ...request,
    fragmentKey: identifiers.keyOf(kind, request.fragmentKey, id, ...repeated(ids, `${kind} ${id}`)),
    parentKey: request.fragmentKey,
    joinKey: identifiers.keyOf(id),
    signal: 'none',
    facts: { kind, startedAt: at, endedAt: at, failed: false, ...facts },
  });
  return [
    ...asked.map((call, order) => fragment('asked', call.id, request.facts.endedAt, { ...calledFacts(call), order })),
    ...answered.map((one, order) =>
      fragment('answered', one.id, request.facts.startedAt, { ...answeredFacts(one), order }),
    ),
  ];
}

/** Tells calls of one message apart that have the same id. */
function repeated(ids: Map<string, number>, id: string): string[] {
  const before = ids.get(id) ?? 0;
  ids.set(id, before + 1);
  return before === 0 ? [] : [String(before)];
}

const nameOf = ({ name }: AskedCall): string => redactAndClip(name.trim(), 200) || 'unnamed';

const calledFacts = (call: AskedCall): Partial<SpanFacts> => toolFacts(nameOf(call), new Map(), call.input);

function answeredFacts({ call, text, failed: marked }: AnsweredCall): Partial<SpanFacts> {
  const name = call === undefined ? 'unnamed' : nameOf(call);
  const read = readUnmarked(name, text);
  const failed = marked ?? read.failed;
  return {
    failed,
    ...(call === undefined ? {} : calledFacts(call)),
    ...(failed ? failedFields(name, call?.input ?? {}, read.text) : {}),
  };
}
