import { parseJson } from '../importers/import-tally.js';
import { contentText, type Fields, fieldsAt, isFields, listAt, textAt as textIn } from '../importers/json-fields.js';
import type { Attribute, Attributes, SpanEventFacts } from './otlp-attributes.js';

/** A tool call that a model asked for. Raw: it is reduced before it is stored. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a tool call in the next request to the model. Raw, as the call. */
export interface AnsweredCall {
  readonly id: string;
  readonly text: string;
  /** Undefined if the message does not say; then the text decides. */
  readonly failed: boolean | undefined;
  /** Undefined if the request does not repeat the call. */
  readonly call: AskedCall | undefined;
}

interface Message {
  readonly role: string;
  readonly asked: readonly AskedCall[];
  readonly answered: readonly Omit<AnsweredCall, 'call'>[];
}

/** Names under which the conventions have the messages to a model and from it, flattened into attributes. */
const FLAT = {
  input: /^(?:llm\.input_messages|gen_ai\.prompt)\.(\d{1,5})\.(.{1,200})$/,
  output: /^(?:llm\.output_messages|gen_ai\.completion)\.(\d{1,5})\.(.{1,200})$/,
} as const;
const FLAT_CALL =
  /^(?:message\.)?((?:tool_calls|contents)\.\d{1,5})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)$/;
const FLAT_TEXT = /^(?:message\.)?contents\.\d{1,5}\.message_content\.text$/;
/** Events of the conventions before 2025, on a span or as log records. */
const MESSAGE_EVENTS = new Map([
  ['gen_ai.user.message', 'user'],
  ['gen_ai.system.message', 'system'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);
const ASSISTANT = /^(?:assistant|ai|model)$/i;

/**
 * The tool calls in the messages of one request to a model: those that its answer asks for, and the results that the
 * request adds. Earlier ones are in the spans of the earlier requests. For frameworks that write no spans of tools.
 */
export function callsInMessages(
  attributes: Attributes,
  events: readonly SpanEventFacts[],
): { asked: readonly AskedCall[]; answered: readonly AnsweredCall[] } {
  const details = events.filter(({ name }) => name === 'gen_ai.client.inference.operation.details');
  const all = [attributes, ...details.map((event) => event.attributes)];
  const input = all.flatMap((one) => [...listed(one.get('gen_ai.input.messages')), ...flattened(one, FLAT.input)]);
  const output = all.flatMap((one) => [...listed(one.get('gen_ai.output.messages')), ...flattened(one, FLAT.output)]);
  for (const { name, attributes: fields } of events) {
    const role = MESSAGE_EVENTS.get(name);
    if (role !== undefined) input.push(messageOf({ role, ...plain(fields) }));
    else if (name === 'gen_ai.choice') output.push(messageOf(choiceOf(plain(fields))));
  }
  return { asked: output.flatMap(({ asked }) => asked), answered: newResults(input) };
}

/** The results after the last answer of the model, with the calls of that answer. */
function newResults(messages: readonly Message[]): AnsweredCall[] {
  const last = messages.findLastIndex(({ role }) => ASSISTANT.test(role));
  const before = messages.slice(0, last + 1).findLastIndex(({ role }) => !ASSISTANT.test(role));
  const calls = new Map(messages.slice(before + 1, last + 1).flatMap(({ asked }) => asked.map((one) => [one.id, one])));
  return messages
    .slice(last + 1)
    .flatMap(({ answered }) => answered.map((one) => ({ ...one, call: calls.get(one.id) })));
}

/** Messages as a list, or as its JSON text. */
function listed(value: Attribute | undefined): Message[] {
  const list = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(list) ? list.filter(isFields).map(messageOf) : [];
}

/** Reads a message in the form of the conventions, of OpenAI or of Anthropic. */
function messageOf(fields: Fields): Message {
  const parts = [...listAt(fields, 'parts'), ...listAt(fields, 'content')];
  const listedCalls = fields['tool_calls'];
  const parsed = typeof listedCalls === 'string' ? parseJson(listedCalls) : listedCalls;
  const ofMessage = textIn(fields, 'tool_call_id', 'id');
  const role = textIn(fields, 'role') ?? '';
  return {
    role,
    asked: [...parts, ...(Array.isArray(parsed) ? parsed.filter(isFields) : [])].flatMap(askedIn),
    answered: [
      ...parts.flatMap(answeredIn),
      ...(/^(?:tool|function)$/i.test(role) && ofMessage !== undefined
        ? [{ id: ofMessage, text: contentText(fields['content']), failed: undefined }]
        : []),
    ],
  };
}

function askedIn(part: Fields): AskedCall[] {
  const called = isFields(part['function']) ? part['function'] : part;
  const id = textIn(part, 'id', 'call_id');
  const name = textIn(called, 'name');
  const isCall =
    'function' in part || /^(?:tool_call|tool_use|function_call|function)$/.test(textIn(part, 'type') ?? '');
  const given = called['arguments'] ?? called['input'];
  return isCall && id !== undefined && name !== undefined ? [{ id, name, input: inputFrom(given) }] : [];
}

function answeredIn(part: Fields): Omit<AnsweredCall, 'call'>[] {
  if (!/^(?:tool_call_response|tool_result)$/.test(textIn(part, 'type') ?? '')) return [];
  const id = textIn(part, 'id', 'tool_use_id', 'tool_call_id');
  const failed = part['is_error'];
  const text = contentText(part['response'] ?? part['result'] ?? part['content']);
  return id === undefined ? [] : [{ id, text, failed: typeof failed === 'boolean' ? failed : undefined }];
}

interface FlatMessage {
  readonly fields: Record<string, unknown>;
  readonly texts: unknown[];
  readonly calls: Map<string, Record<string, unknown>>;
}

/** The messages of attributes with an index in their names. */
function flattened(attributes: Attributes, pattern: RegExp): Message[] {
  const messages = new Map<number, FlatMessage>();
  for (const [name, value] of attributes) {
    const [, index, rest = ''] = pattern.exec(name) ?? [];
    if (index === undefined) continue;
    const message: FlatMessage = messages.get(Number(index)) ?? { fields: {}, texts: [], calls: new Map() };
    messages.set(Number(index), message);
    const [, call, field] = FLAT_CALL.exec(rest) ?? [];
    if (call !== undefined && field !== undefined)
      message.calls.set(call, { type: 'tool_call', ...message.calls.get(call), [field]: value });
    else if (FLAT_TEXT.test(rest)) message.texts.push(value);
    else message.fields[rest.replace(/^message\./, '')] = value;
  }
  return [...messages]
    .sort(([a], [b]) => a - b)
    .map(([, { fields, texts, calls }]) => messageOf({ content: texts, ...fields, tool_calls: [...calls.values()] }));
}

const plain = (attributes: Attributes): Fields => Object.fromEntries(attributes);

/** A choice has its message in a field, which can be JSON. */
function choiceOf(fields: Fields): Fields {
  const message = fields['message'];
  const parsed = typeof message === 'string' ? parseJson(message) : message;
  return { role: 'assistant', ...fields, ...(isFields(parsed) ? parsed : fieldsAt(fields, 'body')) };
}

const inputFrom = (given: unknown): unknown =>
  typeof given === 'string' ? (parseJson(given) ?? given) : (given ?? {});
