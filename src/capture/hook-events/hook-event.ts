import { z } from 'zod';
import { present } from '../../platform/base/optional.js';
import { NOT_A_PROMPT } from '../importers/claude-code-session.js';
import { redactAndClip } from '../importers/foreign-call.js';
import { clipId } from '../importers/foreign-report.js';
import type { FragmentIdentifiers, FragmentSignal } from '../importers/fragment-format.js';
import { asFields, textAt } from '../importers/json-fields.js';
import { ObservedOutputs, systemOfPath } from '../importers/observed-outputs.js';
import { sourcesOfCall, taskHash, taskOf } from '../importers/task-sources.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import { projectName } from '../report/agent-name.js';
import { callKeyField } from '../report/call-lineage.js';
import { CallArgument, ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { calledFields, failedFields } from '../traces/fragment-call.js';
import type { ProductHook } from './products.js';

const short = z.string().max(200);

/**
 * What is stored of a hook event until its execution is reported. The prompt is stored as a hash, arguments as the
 * normalised action and by name, and errors within the limits of a report. Answers and results are not stored; the
 * versions that they show are.
 */
export const HookFacts = z.strictObject({
  event: short,
  at: z.iso.datetime(),
  /** The reference of the session's id; in an imported file the id. */
  session: short,
  /** Stands for the text of the task if the session has none. */
  sessionTask: z.string(),
  /** Hash of the id of the prompt that the event belongs to. */
  turn: short.optional(),
  subAgent: z.boolean(),
  project: short.optional(),
  model: short.optional(),
  task: z.string().optional(),
  tool: z
    .strictObject({
      name: short,
      action: z.string().max(REPORT_LIMITS.action),
      arguments: z.array(CallArgument).max(REPORT_LIMITS.arguments).optional(),
    })
    .optional(),
  /** As the transcript of the session, and of those that repeat its history, has it. */
  callKey: short.optional(),
  /** Undefined: the event does not say. */
  ok: z.boolean().optional(),
  interrupted: z.boolean().optional(),
  errorCategory: short.optional(),
  errorMessage: z.string().max(REPORT_LIMITS.errorMessage).optional(),
  errorLine: z.string().min(1).max(REPORT_LIMITS.errorLine).optional(),
  ran: z.boolean().optional(),
  environment: ExecutionEnvironment.optional(),
  durationMs: z.int().min(0).max(1_000_000).optional(),
  sources: z.array(z.string()).max(20).optional(),
  skill: short.optional(),
  /** Records before the event were lost. */
  afterHole: z.literal(true).optional(),
  apiError: z.strictObject({ status: z.int().optional(), type: short }).optional(),
});
export type HookFacts = z.infer<typeof HookFacts>;

const TOOL_EVENTS: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
]);
/** Events that describe an execution. All others are answered and dropped. */
const REPORTED_EVENTS: ReadonlySet<string> = new Set([
  ...TOOL_EVENTS,
  'SessionStart',
  'UserPromptSubmit',
  'Stop',
  'StopFailure',
  'SessionEnd',
]);

export interface HookFragment {
  /** Hash of the session id. */
  readonly sessionKey: string;
  readonly key: string;
  readonly joinKey: string | undefined;
  readonly signal: FragmentSignal;
  readonly facts: HookFacts;
}

/**
 * The fragment of an event; undefined for an event that says nothing about an execution. `at`: when the event was
 * received, since hooks carry no time.
 */
export function hookFragment(
  hook: ProductHook,
  at: Date,
  { keyOf, sessionOf }: FragmentIdentifiers,
): HookFragment | undefined {
  const { hook_event_name: event, tool_use_id: call, session_id: session, agent_id: agent } = hook;
  if (!REPORTED_EVENTS.has(event)) return undefined;
  const turn = hook.prompt_id ?? hook.turn_id;
  return {
    sessionKey: keyOf(session),
    key: keyOf(event, eventKey(hook, at), agent ?? ''),
    joinKey: call === undefined ? undefined : agent === undefined ? keyOf(call) : keyOf(call, agent),
    signal: signalOf(hook),
    facts: {
      event,
      at: at.toISOString(),
      session: sessionOf(clipId(session)),
      sessionTask: taskHash(`session ${session}`),
      subAgent: agent !== undefined,
      ...present({
        turn: turn && keyOf(turn),
        project: hook.cwd === undefined ? undefined : projectName(hook.cwd),
        model: hook.model && redactAndClip(hook.model, REPORT_LIMITS.category),
        apiError: event === 'StopFailure' ? apiErrorOf(hook) : undefined,
      }),
      ...environmentFacts(hook),
      ...(event === 'UserPromptSubmit' ? promptFacts(hook) : {}),
      ...(TOOL_EVENTS.has(event) ? toolFacts(hook) : {}),
    },
  };
}

/** Gateways that count the calls of a reply, and begin again with the next, make such ids: `Bash:0`, `call_3`. */
const COUNTER = /^.{0,24}\D\d{1,4}$/;

/**
 * A hook that is sent twice gives the same key. An event that may come again in a session, without an id of its call or
 * turn or with one that is only a counter, is always a separate event. With the same id, another content is another call.
 */
function eventKey(hook: ProductHook, at: Date): string {
  const { hook_event_name: event, tool_use_id: call, tool_name: tool, tool_input: input } = hook;
  const time = hook.sentAt ?? at.toISOString();
  if (TOOL_EVENTS.has(event)) {
    const when = call === undefined || COUNTER.test(call) ? time : '';
    return JSON.stringify([when, call, tool, input, hook.tool_response, hook.error, hook.duration_ms]);
  }
  const isOfTurn = event === 'UserPromptSubmit' || event === 'Stop' || event === 'StopFailure';
  return hook.prompt_id ?? hook.turn_id ?? (isOfTurn ? time : '');
}

function signalOf({ hook_event_name: event, agent_id: agent }: ProductHook): FragmentSignal {
  if (agent !== undefined) return 'none';
  if (event === 'SessionEnd') return 'ended';
  if (event === 'Stop' || event === 'StopFailure') return 'paused';
  return event === 'UserPromptSubmit' || event === 'SessionStart' ? 'resumed' : 'none';
}

const promptFacts = ({ prompt = '' }: ProductHook): Partial<HookFacts> =>
  NOT_A_PROMPT.test(prompt) ? {} : taskOf(prompt);

function toolFacts(hook: ProductHook): Partial<HookFacts> {
  const name = redactAndClip((hook.tool_name ?? '').trim(), 200) || 'unnamed';
  const sources = sourcesOfCall(name, hook.tool_input).slice(0, 20);
  const { duration_ms: duration = -1 } = hook;
  return {
    tool: { name, ...calledFields(name, hook.tool_input) },
    ...callKeyField(hook.tool_use_id, { name: hook.tool_name ?? '', input: hook.tool_input }),
    ...present({
      sources: sources.length === 0 ? undefined : sources,
      durationMs: duration >= 0 && duration <= 1_000_000 ? Math.round(duration) : undefined,
    }),
    ...(name === 'Skill' ? skillFacts(hook.tool_input) : {}),
    ...resultFacts(hook, name),
  };
}

/** What the folder and the output of a successful call say about the system and its versions. */
function environmentFacts(hook: ProductHook): Pick<HookFacts, 'environment'> {
  const outputs = new ObservedOutputs();
  if (hook.hook_event_name === 'PostToolUse')
    outputs.read(hook.tool_name ?? '', hook.tool_input, outputOf(hook.tool_response), false);
  const repository = repositoryLabel(hook.origin ?? '');
  const environment = {
    ...present({ operatingSystem: systemOfPath(hook.cwd) }),
    ...outputs.environment(),
    ...present({ repository }),
  };
  return Object.keys(environment).length === 0 ? {} : { environment };
}

/** The text of a tool's answer. Claude Code sends the streams of a shell one by one. */
function outputOf(response: unknown): string {
  if (typeof response === 'string') return response;
  if (typeof response !== 'object' || response === null) return '';
  const streams = ['stdout' in response ? response.stdout : '', 'stderr' in response ? response.stderr : ''];
  return streams.filter((stream) => typeof stream === 'string').join('\n');
}

function skillFacts(input: unknown): Partial<HookFacts> {
  const skill = textAt(asFields(input), 'skill');
  return present({ skill: skill && redactAndClip(skill, 200) });
}

function resultFacts(hook: ProductHook, name: string): Partial<HookFacts> {
  if (hook.hook_event_name === 'PostToolUseFailure')
    return {
      ok: false,
      ...present({ ran: hook.ran || undefined, interrupted: hook.is_interrupt || undefined }),
      ...failedFields(name, hook.tool_input, hook.error ?? ''),
    };
  if (hook.hook_event_name !== 'PostToolUse') return {};
  // Codex sends this event also for failures, with the output as plain text and without an exit code.
  const output = typeof hook.tool_response === 'string' ? readUnmarked(name, hook.tool_response) : undefined;
  return output?.failed === true
    ? { ok: false, ran: true, ...failedFields(name, hook.tool_input, output.text) }
    : { ok: true, ran: true };
}

function apiErrorOf({ error, last_assistant_message: message }: ProductHook): HookFacts['apiError'] {
  const status = /^API Error:? {0,3}(?:\(?Request failed with status code )?(\d{3})\b/.exec(message ?? '')?.[1];
  return {
    ...present({ status: status === undefined ? undefined : Number(status) }),
    type: redactAndClip(error ?? '', 200),
  };
}
