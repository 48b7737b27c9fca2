import { redactAndClip } from '../importers/foreign-call.js';
import { parseJson } from '../importers/import-tally.js';
import { isFields } from '../importers/json-fields.js';
import { sourcesOfCall } from '../importers/task-sources.js';
import { calledFields, failedFields } from './fragment-call.js';
import { type Attributes, type SpanEventFacts, textAt } from './otlp-attributes.js';
import { optionalField, type SpanFacts } from './span-facts.js';

/** How a record says that it failed, beside its attributes. */
interface RecordedFailure {
  readonly isError: boolean;
  readonly message?: string | undefined;
  readonly events?: readonly SpanEventFacts[];
}

/** The failure of a record about a call of this tool, or of an agent or a model with any name. */
export function failureFacts(
  { isError, message, events = [] }: RecordedFailure,
  attributes: Attributes,
  name: string,
): Pick<SpanFacts, 'failed'> & Partial<SpanFacts> {
  const type = textAt(attributes, 'error.type', 'error_type');
  const failed = isError || type !== undefined || attributes.get('success') === false;
  if (!failed) return { failed };
  const exception: Attributes = events.find((event) => event.name === 'exception')?.attributes ?? new Map();
  const text =
    textAt(attributes, 'error.message', 'error') ??
    textAt(exception, 'exception.message') ??
    (message || undefined) ??
    lastLine(textAt(exception, 'exception.stacktrace')) ??
    '';
  const status = Number(attributes.get('http.response.status_code') ?? attributes.get('status_code') ?? type);
  const thrown = textAt(exception, 'exception.type') ?? type;
  return {
    failed,
    ...optionalField('errorType', type ?? textAt(exception, 'exception.type')),
    ...(Number.isInteger(status) && status >= 100 && status < 600 ? { httpStatus: status } : {}),
    // "TimeoutError: it took too long" names its kind; a bare message often does not, so the exception's type is put
    // before it
    ...failedFields(
      name,
      inputOf(attributes),
      thrown !== undefined && /Error|Exception/.test(thrown) && !text.includes(thrown) ? `${thrown}: ${text}` : text,
    ),
  };
}

export function toolName(spanName: string, attributes: Attributes): string {
  const given = textAt(attributes, 'gen_ai.tool.name', 'tool_name', 'tool.name', 'traceloop.entity.name');
  return redactAndClip((given ?? spanName.replace(/^execute_tool /, '')).trim(), 200) || 'unnamed';
}

/** What may be stored of a call. */
export function toolFacts(name: string, attributes: Attributes, input = inputOf(attributes)) {
  const sources = sourcesOfCall(name, input).slice(0, 20);
  return {
    tool: { name, ...calledFields(name, input) },
    ...(sources.length === 0 ? {} : { sources }),
    ...optionalField('skill', skillAt(attributes)),
  };
}

export const skillAt = (attributes: Attributes) => textAt(attributes, 'skill_name', 'skill.name', 'gen_ai.skill.name');

/** Arguments of a call for which Claude Code has separate attributes. */
const ARGUMENTS = ['file_path', 'subagent_type', 'url', 'pattern', 'path', 'query'] as const;

const INPUTS = [
  'gen_ai.tool.call.arguments',
  'tool_input',
  'tool_call.function.arguments',
  'input.value',
  'tool.parameters',
  'tool_parameters',
  'traceloop.entity.input',
] as const;

/** OpenInference has the parameters of a tool under one name with those of a call. */
const isSchema = (input: unknown): boolean => isFields(input) && isFields(input['properties']);

/** Some instrumentations write how a function was called: positional and named arguments. */
const unwrapped = (input: unknown): unknown =>
  isFields(input) && 'args' in input && isFields(input['kwargs']) ? input['kwargs'] : input;

/** The input of a call under any of the conventions. Raw: callers reduce it. */
function inputOf(attributes: Attributes): unknown {
  const command = textAt(attributes, 'full_command', 'bash_command');
  if (command !== undefined) return { command };
  for (const name of INPUTS) {
    const value = attributes.get(name);
    const input = typeof value === 'string' ? (parseJson(value) ?? value) : value;
    if (input !== undefined && !(name === 'tool.parameters' && isSchema(input))) return unwrapped(input);
  }
  const own: [string, unknown][] = ARGUMENTS.flatMap((name) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const skill = skillAt(attributes);
  return Object.fromEntries(skill === undefined ? own : [...own, ['skill', skill]]);
}

const lastLine = (text: string | undefined): string | undefined =>
  text?.trimEnd().split('\n').at(-1)?.trim() || undefined;
