import type { FragmentSignal } from '../importers/fragment-format.js';
import { parseJson } from '../importers/import-tally.js';
import { type Fields, isFields, textAt as textIn } from '../importers/json-fields.js';
import { taskOf, withoutShell } from '../importers/task-sources.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import { callKeyField } from '../report/call-lineage.js';
import { toolFacts, toolName } from './call-attributes.js';
import { failedFields } from './fragment-call.js';
import { type Attributes, textAt } from './otlp-attributes.js';
import { optionalField, type SpanFacts } from './span-facts.js';
import type { TelemetryProduct } from './telemetry-product.js';

/** What may be stored of an event, without its times. */
export interface EventFacts {
  readonly facts: Pick<SpanFacts, 'kind' | 'failed'> & Partial<SpanFacts>;
  /** Raw id of the tool call that the event is about. */
  readonly callId?: string | undefined;
  /** Milliseconds that the event reports about, until its time. */
  readonly durationMs?: number | undefined;
  readonly signal?: FragmentSignal;
}

type Reader = (attributes: Attributes) => EventFacts | undefined;

interface LoggedCall {
  readonly name: string;
  readonly input: unknown;
  readonly failed: boolean;
  readonly text?: string | undefined;
  readonly type?: string | undefined;
  readonly skill?: string | undefined;
}

function callEvent(attributes: Attributes, { name, input, failed, text, type, skill }: LoggedCall): EventFacts {
  const callId = textAt(attributes, 'tool_use_id', 'call_id', 'tool_call_id', 'gen_ai.tool.call.id');
  return {
    facts: {
      kind: 'tool',
      failed,
      ...toolFacts(name, attributes, input),
      ...callKeyField(callId, { name, input }),
      ...optionalField('skill', skill),
      ...(failed ? { ...optionalField('errorType', type), ...failedFields(name, input, text ?? type ?? '') } : {}),
    },
    callId,
    durationMs: numberAt(attributes, 'duration_ms'),
  };
}

/** A call that a person or a rule refused. It never ran, and there may be no other event about it. */
const refusedCall = (name: string, attributes: Attributes): EventFacts => ({
  facts: {
    kind: 'tool',
    ...toolFacts(name, attributes, inputAt(attributes, 'tool_parameters', 'function_args')),
    failed: true,
    ran: false,
    errorCategory: 'denied',
  },
  callId: textAt(attributes, 'tool_use_id', 'call_id'),
});

function requestEvent(attributes: Attributes, failed: boolean): EventFacts {
  const status = numberAt(attributes, 'status_code') ?? numberAt(attributes, 'http.response.status_code');
  const message = textAt(attributes, 'error', 'error.message', 'error_message');
  return {
    facts: {
      kind: 'model',
      failed,
      ...optionalField('model', textAt(attributes, 'model')),
      ...optionalField('skill', textAt(attributes, 'skill.name')),
      ...(failed && status !== undefined && status >= 100 && status < 600 ? { httpStatus: status } : {}),
      ...(failed ? optionalField('errorType', textAt(attributes, 'error_type', 'error.type')) : {}),
      ...(failed ? failedFields('', {}, message ?? '') : {}),
    },
    durationMs: numberAt(attributes, 'duration_ms'),
  };
}

function promptEvent(attributes: Attributes): EventFacts {
  const prompt = textAt(attributes, 'prompt') ?? '';
  const isKnown = !/^\s*(?:<REDACTED>|\[REDACTED\])\s*$/i.test(prompt);
  return { facts: { kind: 'other', failed: false, ...(isKnown ? taskOf(prompt) : {}) }, signal: 'resumed' };
}

/** A sub-agent's request is no turn of the session. */
const isOfSubAgent = (attributes: Attributes): boolean =>
  attributes.has('agent_id') || (textAt(attributes, 'query_source') ?? '').startsWith('agent:');

const CLAUDE_CODE: Readonly<Record<string, Reader>> = {
  tool_result(attributes) {
    const parameters = inputAt(attributes, 'tool_parameters');
    const server = textIn(parameters, 'mcp_server_name');
    const tool = textIn(parameters, 'mcp_tool_name');
    const given = inputAt(attributes, 'tool_input');
    const command = textIn(parameters, 'full_command', 'bash_command');
    const input = Object.keys(given).length > 0 ? given : command === undefined ? parameters : { command };
    return callEvent(attributes, {
      name:
        server === undefined || tool === undefined ? toolName('', attributes) : `mcp__${server}__${tool}`.slice(0, 200),
      input,
      failed: isFalse(attributes, 'success'),
      text: textAt(attributes, 'error'),
      type: textAt(attributes, 'error_type'),
      skill: textIn(parameters, 'skill_name') ?? textIn(given, 'skill'),
    });
  },
  tool_decision: (attributes) =>
    /^(?:reject|deny|denied|abort)/.test(textAt(attributes, 'decision') ?? '')
      ? refusedCall(toolName('', attributes), attributes)
      : undefined,
  api_request: (attributes) => (isOfSubAgent(attributes) ? undefined : requestEvent(attributes, false)),
  api_error: (attributes) => (isOfSubAgent(attributes) ? undefined : requestEvent(attributes, true)),
  user_prompt: promptEvent,
  skill_activated: (attributes) => ({
    facts: { kind: 'other', failed: false, ...optionalField('skill', textAt(attributes, 'skill.name', 'skill_name')) },
  }),
};

const CODEX: Readonly<Record<string, Reader>> = {
  tool_result(attributes) {
    const name = toolName('', attributes);
    const output = textAt(attributes, 'output') ?? '';
    // Codex counts a command that printed its failure as a success of the tool.
    const read = readUnmarked(name, output);
    return callEvent(attributes, {
      name,
      input: withoutShell(inputAt(attributes, 'arguments')),
      failed: isFalse(attributes, 'success') || read.failed,
      text: read.text,
    });
  },
  tool_decision: (attributes) =>
    /^(?:denied|abort|timed_out)/.test(textAt(attributes, 'decision') ?? '')
      ? refusedCall(toolName('', attributes), attributes)
      : undefined,
  api_request: (attributes) => requestEvent(attributes, attributes.has('error.message')),
  websocket_request: (attributes) => requestEvent(attributes, attributes.has('error.message')),
  user_prompt: promptEvent,
};

const GEMINI: Readonly<Record<string, Reader>> = {
  tool_call(attributes) {
    const name = textAt(attributes, 'function_name') ?? 'unnamed';
    if (/^(?:reject|cancel)/.test(textAt(attributes, 'decision') ?? ''))
      return refusedCall(name.slice(0, 200), attributes);
    return callEvent(attributes, {
      name: name.slice(0, 200),
      input: inputAt(attributes, 'function_args'),
      failed: isFalse(attributes, 'success'),
      text: textAt(attributes, 'error'),
      type: textAt(attributes, 'error_type'),
    });
  },
  api_response: (attributes) => requestEvent(attributes, false),
  api_error: (attributes) => requestEvent(attributes, true),
  user_prompt: promptEvent,
};

const PRODUCTS: Readonly<Record<TelemetryProduct, Readonly<Record<string, Reader>>>> = {
  'claude-code': CLAUDE_CODE,
  codex: CODEX,
  gemini: GEMINI,
};

/** What may be stored of an event of a product; undefined for an event that says nothing about an execution. */
export function productEvent(product: TelemetryProduct, name: string, attributes: Attributes): EventFacts | undefined {
  const short = name.slice(name.indexOf('.') + 1);
  const events = PRODUCTS[product];
  return Object.hasOwn(events, short) ? events[short]?.(attributes) : undefined;
}

const isFalse = (attributes: Attributes, name: string): boolean => String(attributes.get(name)) === 'false';

function numberAt(attributes: Attributes, name: string): number | undefined {
  const value = Number(attributes.get(name) ?? Number.NaN);
  return Number.isFinite(value) ? Math.round(value) : undefined;
}

/** The first of these attributes that is a map, or the JSON text of one; without one an empty map. */
function inputAt(attributes: Attributes, ...names: readonly string[]): Fields {
  for (const name of names) {
    const value = attributes.get(name);
    const input = typeof value === 'string' ? parseJson(value) : value;
    if (isFields(input)) return input;
  }
  return {};
}
