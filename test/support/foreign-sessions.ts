import {
  claudeCodeHooksImporter,
  codexHooksImporter,
  copilotHooksImporter,
  geminiHooksImporter,
  openCodeHooksImporter,
} from '../../src/capture/hook-events/hooks.importer.js';
import { claudeCodeImporter } from '../../src/capture/importers/claude-code.importer.js';
import { codexImporter } from '../../src/capture/importers/codex.importer.js';
import type { ImportContext, TranscriptImporter } from '../../src/capture/importers/importer.js';
import { otelImporter } from '../../src/capture/traces/otel.importer.js';
import { atifImporter } from '../../src/capture/trajectories/atif.importer.js';
import { miniSweAgentImporter } from '../../src/capture/trajectories/mini-swe-agent.importer.js';
import { openHandsV0Importer } from '../../src/capture/trajectories/openhands-v0.importer.js';
import { openHandsV1Importer } from '../../src/capture/trajectories/openhands-v1.importer.js';
import { runsImporter } from '../../src/capture/trajectories/runs.importer.js';
import { sweAgentImporter } from '../../src/capture/trajectories/swe-agent.importer.js';
import { claudeCodeStreamImporter } from '../../src/capture/transcripts/claude-code-stream.importer.js';
import { codexStreamImporter } from '../../src/capture/transcripts/codex-stream.importer.js';
import { copilotImporter } from '../../src/capture/transcripts/copilot.importer.js';
import { cursorStreamImporter } from '../../src/capture/transcripts/cursor-stream.importer.js';
import { geminiImporter } from '../../src/capture/transcripts/gemini.importer.js';
import { openCodeImporter } from '../../src/capture/transcripts/opencode.importer.js';
import { agentSpan, modelSpan, otlp, type SpanSketch, toolSpan } from './otlp.js';
import { copilot, gemini, openCode, productHooks } from './product-sessions.js';
import { claudeCodeStream, codexStream, cursorStream, streamFile } from './session-streams.js';
import { miniSweAgent, openHandsV0, openHandsV1, recordedNow, run, sweAgent } from './trajectories.js';

export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The output of a successful call. */
  readonly output?: string;
  readonly error?: string;
}

/** A session, independent of the format of any agent. */
export interface Session {
  readonly id: string;
  readonly task: string;
  readonly steps: readonly Step[];
  readonly answer: string;
  readonly end: 'normal' | 'api-error' | 'max-turns' | 'interrupted';
}

/** Writes sessions in one format. */
export interface ForeignFormat {
  readonly importer: TranscriptImporter;
  readonly lines: (session: Session) => string[];
  readonly context?: (session: Session) => ImportContext;
  /** The ends that the format can express. */
  readonly ends: readonly Session['end'][];
  /** Set if the records do not hold the task. */
  readonly isWithoutTask?: true;
  /** Whether each line is a record; otherwise the file is one document. */
  readonly byLine: boolean;
}

const START = Date.UTC(2026, 2, 31, 18);
const at = (second: number): string => new Date(START + second * 1_000).toISOString();
const CWD = '/srv/shop';
const API_ERROR = 'API Error: 529 Overloaded';

function claudeCode({ id, task, steps, answer, end }: Session): string[] {
  const base = (n: number) => ({ sessionId: id, uuid: `${id}-${n}`, timestamp: at(n), cwd: CWD });
  const records: object[] = [{ ...base(0), type: 'user', message: { role: 'user', content: task } }];
  for (const [index, { tool, input, output, error }] of steps.entries()) {
    const [n, call] = [1 + index * 2, `${id}-call-${index}`];
    const message = { id: `${id}-turn-${index}`, model: 'a-model', stop_reason: 'tool_use' };
    const block = { type: 'tool_use', id: call, name: tool, input };
    records.push({ ...base(n), type: 'assistant', message: { ...message, content: [block] } });
    const result = { type: 'tool_result', tool_use_id: call, is_error: error !== undefined, content: error ?? output };
    records.push({ ...base(n + 1), type: 'user', message: { role: 'user', content: [result] } });
  }
  const last = base(1 + steps.length * 2);
  const said = {
    id: `${id}-last`,
    model: 'a-model',
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: answer }],
  };
  if (end === 'normal') records.push({ ...last, type: 'assistant', message: said });
  if (end === 'api-error') {
    // The result record of such a run has `subtype: "success"`.
    records.push({ ...last, type: 'assistant', isApiErrorMessage: true, apiErrorStatus: 529, error: 'overloaded' });
    records.push({ type: 'result', subtype: 'success', is_error: true, terminal_reason: 'api_error' });
  }
  if (end === 'max-turns') records.push({ ...last, type: 'attachment', attachment: { type: 'max_turns_reached' } });
  if (end === 'interrupted')
    records.push({ ...last, type: 'user', message: { role: 'user', content: '[Request interrupted by user]' } });
  return records.map((record) => JSON.stringify(record));
}

function hooks(codex: boolean): (session: Session) => string[] {
  return ({ id, task, steps, answer, end }) => {
    const turn = codex ? { turn_id: `${id}-turn`, model: 'a-model' } : { prompt_id: `${id}-turn` };
    let second = 0;
    const hook = (event: string, fields: object) => {
      second += 1;
      return { session_id: id, cwd: CWD, hook_event_name: event, received_at: at(second), ...turn, ...fields };
    };
    const events = [hook('SessionStart', { source: 'startup' }), hook('UserPromptSubmit', { prompt: task })];
    for (const [index, { tool, input, output, error }] of steps.entries()) {
      const call = { tool_name: tool, tool_input: input, tool_use_id: `${id}-call-${index}` };
      events.push(hook('PreToolUse', call));
      if (codex) events.push(hook('PostToolUse', { ...call, tool_response: error ?? output }));
      else if (error === undefined) events.push(hook('PostToolUse', { ...call, tool_response: { stdout: output } }));
      else events.push(hook('PostToolUseFailure', { ...call, error, is_interrupt: false }));
    }
    if (end === 'normal') events.push(hook('Stop', { last_assistant_message: answer }));
    if (end === 'api-error') events.push(hook('StopFailure', { error: 'unknown', last_assistant_message: API_ERROR }));
    // Out of turns has neither record.
    events.push(hook('SessionEnd', { reason: 'other' }));
    return events.map((event) => JSON.stringify(event));
  };
}

function codex({ id, task, steps, answer, end }: Session): string[] {
  const lines: { timestamp: string; type: string; payload: object }[] = [];
  const line = (type: string, payload: object) => lines.push({ timestamp: at(lines.length), type, payload });
  const message = (role: string, text: string) =>
    line('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] });
  line('session_meta', { id, cwd: CWD, source: 'exec' });
  line('event_msg', { type: 'task_started' });
  line('turn_context', { model: 'a-model', cwd: CWD });
  message('user', '<environment_context>of the machine</environment_context>');
  message('user', task);
  for (const [index, { tool, input, output, error }] of steps.entries()) {
    const callId = `${id}-call-${index}`;
    const name = tool === 'Bash' ? 'exec_command' : tool;
    const given = tool === 'Bash' ? { cmd: input['command'] } : input;
    line('response_item', { type: 'function_call', name, arguments: JSON.stringify(given), call_id: callId });
    line('token_usage_record', { thread_id: id });
    const text = `Process exited with code ${error === undefined ? 0 : 1}\nOutput:\n${error ?? output}\n`;
    line('response_item', { type: 'function_call_output', call_id: callId, output: `Chunk ID: 1\n${text}` });
  }
  if (end === 'normal') message('assistant', answer);
  if (end === 'normal') line('event_msg', { type: 'task_complete', last_agent_message: answer });
  const info = { response_too_many_failed_attempts: { http_status_code: 529 } };
  const error = { message: API_ERROR, codex_error_info: info };
  if (end === 'api-error') line('event_msg', { type: 'task_complete', last_agent_message: null, error });
  if (end === 'interrupted') line('event_msg', { type: 'turn_aborted', reason: 'interrupted' });
  return lines.map((one) => JSON.stringify(one));
}

function otel({ id, task, steps, answer, end }: Session): string[] {
  const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const spans: SpanSketch[] = steps.flatMap(({ tool, input, output, error }, index) => {
    const call = 10 + index * 3;
    const result = { 'gen_ai.tool.call.result': error ?? output };
    const below = { 'gen_ai.tool.call.id': `call-${call}`, 'error.type': 'tool_error', error };
    return [
      modelSpan(call + 1, call * 10, { attributes: { 'gen_ai.response.finish_reasons': ['tool_use'] } }),
      toolSpan(call, call * 10 + 1, tool, input, { attributes: result }),
      // The span of the call itself has no error.
      ...(error === undefined
        ? []
        : [{ id: call + 2, parent: call, from: call * 10 + 2, attributes: below, failed: error }]),
    ];
  });
  const last = {
    'gen_ai.output.messages': message('assistant', answer),
    'gen_ai.response.finish_reasons': ['end_turn'],
  };
  if (end === 'normal') spans.push(modelSpan(2, 4_000, { attributes: last }));
  const overloaded = { 'error.type': 'overloaded_error', 'http.response.status_code': 529 };
  if (end === 'api-error') spans.push(modelSpan(2, 4_000, { failed: 'Overloaded', attributes: overloaded }));
  spans.push(
    agentSpan({
      attributes: { 'gen_ai.conversation.id': id, 'gen_ai.input.messages': message('user', task) },
      ...(end === 'interrupted' ? { failed: 'cancelled' } : {}),
    }),
  );
  if (end === 'interrupted') Object.assign(spans.at(-1)?.attributes ?? {}, { 'error.type': 'CancelledError' });
  const trace = Buffer.from(id).toString('hex').padEnd(32, 'e').slice(0, 32);
  return spans.map((span) => JSON.stringify(otlp([span], { trace })));
}

function atif({ id, task, steps, answer, end }: Session): string[] {
  const document = {
    schema_version: 'ATIF-v1.7',
    session_id: id,
    agent: { name: 'an-agent', version: '1', model_name: 'a-model' },
    steps: [
      { step_id: 1, timestamp: at(0), source: 'user', message: task },
      ...steps.map(({ tool, input, output, error }, index) => ({
        step_id: index + 2,
        timestamp: at(index + 1),
        source: 'agent',
        message: 'Next.',
        tool_calls: [{ tool_call_id: `${id}-call-${index}`, function_name: tool, arguments: input }],
        observation: { results: [{ source_call_id: `${id}-call-${index}`, content: error ?? output }] },
      })),
      ...(end === 'normal' ? [{ step_id: 99, timestamp: at(90), source: 'agent', message: answer }] : []),
    ],
  };
  return JSON.stringify(document, null, 1).split('\n');
}

const harbor = ({ id, end }: Session): ImportContext =>
  end === 'normal'
    ? {}
    : {
        judgements: [
          {
            name: 'result.json',
            isOfOne: true,
            text: JSON.stringify({
              trial_name: id,
              exception_info: { exception_type: 'http-529', exception_message: API_ERROR },
            }),
          },
        ],
      };

/** The name of the file, for a format that names no session. */
const named = ({ id }: Session): ImportContext => ({ sessionHint: id });

const ALL_ENDS = ['normal', 'api-error', 'max-turns', 'interrupted'] as const;

export const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  {
    importer: claudeCodeImporter,
    lines: claudeCode,
    ends: ['normal', 'api-error', 'max-turns', 'interrupted'],
    byLine: true,
  },
  { importer: claudeCodeHooksImporter, lines: hooks(false), ends: ['normal', 'api-error', 'max-turns'], byLine: true },
  { importer: codexImporter, lines: codex, ends: ['normal', 'api-error', 'interrupted'], byLine: true },
  {
    importer: claudeCodeStreamImporter,
    lines: claudeCodeStream,
    ends: ['normal', 'api-error', 'max-turns', 'interrupted'],
    byLine: true,
  },
  {
    importer: codexStreamImporter,
    lines: codexStream,
    context: streamFile,
    ends: ['normal', 'api-error'],
    byLine: true,
    isWithoutTask: true,
  },
  { importer: cursorStreamImporter, lines: cursorStream, ends: ['normal', 'api-error'], byLine: true },
  { importer: codexHooksImporter, lines: hooks(true), ends: ['normal', 'max-turns'], byLine: true },
  { importer: geminiImporter, lines: gemini, ends: ['normal', 'api-error', 'interrupted'], byLine: true },
  { importer: geminiHooksImporter, lines: productHooks('gemini'), ends: ['normal', 'max-turns'], byLine: true },
  { importer: openCodeImporter, lines: openCode, ends: ['normal', 'api-error', 'interrupted'], byLine: false },
  { importer: openCodeHooksImporter, lines: productHooks('opencode'), ends: ['normal', 'max-turns'], byLine: true },
  { importer: copilotImporter, lines: copilot, ends: ['normal', 'api-error', 'interrupted'], byLine: true },
  { importer: copilotHooksImporter, lines: productHooks('copilot'), ends: ['normal', 'max-turns'], byLine: true },
  { importer: otelImporter, lines: otel, ends: ['normal', 'api-error', 'max-turns', 'interrupted'], byLine: true },
  { importer: atifImporter, lines: atif, context: harbor, ends: ['normal', 'api-error'], byLine: false },
  { importer: miniSweAgentImporter, lines: miniSweAgent, context: named, ends: ALL_ENDS, byLine: false },
  { importer: sweAgentImporter, lines: sweAgent, context: recordedNow, ends: ALL_ENDS, byLine: false },
  { importer: openHandsV0Importer, lines: openHandsV0, context: named, ends: ALL_ENDS, byLine: false },
  { importer: openHandsV1Importer, lines: openHandsV1, ends: ALL_ENDS, byLine: true },
  { importer: runsImporter, lines: run, ends: ALL_ENDS, byLine: true },
];
