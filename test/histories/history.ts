import fc from 'fast-check';
import { claudeCodeHooksImporter } from '../../src/capture/hook-events/hooks.importer.js';
import { claudeCodeImporter } from '../../src/capture/importers/claude-code.importer.js';
import type { TranscriptImporter } from '../../src/capture/importers/importer.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { otelImporter } from '../../src/capture/traces/otel.importer.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { otlpLogs, START } from '../support/otlp.js';

/** A call that a session made, with the time of its record in seconds after the history began. */
interface RecordedStep {
  readonly id: string;
  readonly second: number;
  readonly command: string;
  readonly error?: string;
}

/** A session of one of the agents. */
export interface HistorySession {
  readonly id: string;
  readonly agent: number;
  readonly task: string;
  readonly folder: string;
  /** The record of the session. The first `copied` of its calls are those of the session that it goes on from. */
  readonly steps: readonly RecordedStep[];
  readonly copied: number;
}

/**
 * How a session is reported once more, or in another way. A copy that holds nothing else is of the same folder: nothing
 * says which of two that are the same came first.
 */
export const ROADS = ['transcript', 'beginning', 'by file', 'copy', 'hooks', 'hooks so far', 'trace'] as const;

export interface History {
  readonly sessions: readonly HistorySession[];
  /** The reports of the mixture beside the transcript of each session; `place` orders them all. */
  readonly more: readonly { readonly session: number; readonly road: (typeof ROADS)[number]; readonly place: number }[];
  readonly places: readonly number[];
  /** After how many reports each step of capture runs. */
  readonly captureAfter: number;
}

type Part = readonly (readonly [command: string, error?: string])[];

const PARTS: Readonly<Record<string, Part>> = {
  fails: [['pytest tests', 'Error: relation "orders" is missing']],
  seeds: [['make seed'], ['pytest tests']],
  looks: [['ls']],
  gives: [['git status'], ['git push']],
  python: [['python close.py', 'SyntaxError: invalid syntax'], ['python3 close.py']],
};

/** Agents whose sessions go on from each other, with a failure that is often overcome only in a later one. */
export const histories: fc.Arbitrary<History> = fc
  .record({
    trees: fc.array(
      fc.array(
        fc.record({
          parent: fc.nat(),
          kept: fc.nat(),
          isElsewhere: fc.boolean(),
          parts: fc.array(fc.constantFrom('seeds', 'seeds', 'looks', 'gives', 'python', 'fails'), {
            minLength: 1,
            maxLength: 2,
          }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      { minLength: 3, maxLength: 3 },
    ),
    more: fc.array(fc.record({ session: fc.nat(), road: fc.constantFrom(...ROADS), place: fc.nat({ max: 1_000 }) }), {
      maxLength: 8,
    }),
    places: fc.array(fc.nat({ max: 1_000 }), { minLength: 9, maxLength: 9 }),
    captureAfter: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ trees, ...rest }) => {
    const sessions: HistorySession[] = [];
    for (const [agent, nodes] of trees.entries()) {
      const own: HistorySession[] = [];
      for (const [n, { parent, kept, isElsewhere, parts }] of nodes.entries()) {
        const past = own[parent % Math.max(1, own.length)]?.steps ?? [];
        const copied = past.slice(0, past.length === 0 ? 0 : 1 + (kept % past.length));
        const calls = [...(n === 0 ? ['fails'] : []), ...parts].flatMap((part) => PARTS[part] ?? []);
        const steps = calls.map(([command, error], at): RecordedStep => {
          const id = `a${agent}s${n}c${at}`;
          const shown = { id, second: 1_000 * (3 * n + agent) + 10 * at + 10, command };
          return error === undefined ? shown : { ...shown, error };
        });
        own.push({
          id: `a${agent}s${n}`,
          agent,
          task: `Prepare the orders of team ${agent}`,
          folder: isElsewhere ? `/srv/trees/shop-${n}` : '/srv/shop',
          steps: [...copied, ...steps],
          copied: copied.length,
        });
      }
      sessions.push(...own);
    }
    return { ...rest, sessions };
  });

/** Where a history takes place: what tells its sessions and calls from those of another one, and when it began. */
export interface Place {
  readonly name: string;
  readonly began: Date;
}

/** A random id, as a model's provider makes them. */
const callId = ({ name }: Place, { id }: RecordedStep): string => `toolu_01${sha256(`${name} ${id}`).slice(0, 22)}`;
const timeAt = ({ began }: Place, second: number): string => new Date(began.getTime() + second * 1_000).toISOString();

/** The lines of a session in the way that one of the roads records it. */
type Lines = (session: HistorySession, place: Place) => string[];

const transcript: Lines = ({ id, task, folder, steps }, place) => {
  const base = (key: string, second: number) => ({
    sessionId: `${place.name}-${id}`,
    uuid: `${place.name}-${key}`,
    timestamp: timeAt(place, second),
    cwd: folder,
  });
  const first = steps[0];
  const prompt = { ...base(`${first?.id} prompt`, (first?.second ?? 0) - 5), type: 'user' };
  const records: object[] = [{ ...prompt, message: { role: 'user', content: task } }];
  for (const step of steps) {
    const call = callId(place, step);
    const block = { type: 'tool_use', id: call, name: 'Bash', input: { command: step.command } };
    const message = { id: `${call} turn`, model: 'a-model', stop_reason: 'tool_use', content: [block] };
    records.push({ ...base(step.id, step.second), type: 'assistant', message });
    const result = { type: 'tool_result', tool_use_id: call, is_error: step.error !== undefined };
    const content = [{ ...result, content: step.error ?? 'done' }];
    records.push({ ...base(`${step.id} result`, step.second + 1), type: 'user', message: { role: 'user', content } });
  }
  const said = { model: 'a-model', stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done' }] };
  const last = base(`${id} ${steps.length} last`, (steps.at(-1)?.second ?? 0) + 2);
  records.push({ ...last, type: 'assistant', message: { id: `${id} last`, ...said } });
  return records.map((record) => JSON.stringify(record));
};

/** Hooks know what the program did since it began, and not the history that it went on from. */
const hooks: Lines = ({ id, task, folder, steps, copied }, place) => {
  const own = steps.slice(copied);
  const hook = (event: string, second: number, fields: object) => ({
    session_id: `${place.name}-${id}`,
    cwd: folder,
    prompt_id: `${id} turn`,
    hook_event_name: event,
    received_at: timeAt(place, second),
    ...fields,
  });
  const [first, last] = [own[0]?.second ?? 0, own.at(-1)?.second ?? 0];
  const events = [
    hook('SessionStart', first - 6, { source: 'startup' }),
    hook('UserPromptSubmit', first - 5, { prompt: task }),
  ];
  for (const step of own) {
    const call = { tool_name: 'Bash', tool_input: { command: step.command }, tool_use_id: callId(place, step) };
    events.push(hook('PreToolUse', step.second, call));
    const failed = { ...call, error: step.error, is_interrupt: false };
    if (step.error !== undefined) events.push(hook('PostToolUseFailure', step.second + 1, failed));
    else events.push(hook('PostToolUse', step.second + 1, { ...call, tool_response: { stdout: 'done' } }));
  }
  events.push(
    hook('Stop', last + 2, { last_assistant_message: 'Done' }),
    hook('SessionEnd', last + 3, { reason: 'other' }),
  );
  return events.map((event) => JSON.stringify(event));
};

const trace: Lines = ({ id, task, steps, copied }, place) => {
  const own = steps.slice(copied);
  const log = (event: string, second: number, fields: object) => ({
    event: `claude_code.${event}`,
    at: place.began.getTime() + second * 1_000 - START,
    attributes: { 'session.id': `${place.name}-${id}`, ...fields },
  });
  const logs = [log('user_prompt', (own[0]?.second ?? 0) - 5, { prompt: task })];
  for (const step of own)
    logs.push(
      log('tool_result', step.second + 1, {
        tool_name: 'Bash',
        tool_use_id: callId(place, step),
        success: String(step.error === undefined),
        tool_input: JSON.stringify({ command: step.command }),
        ...(step.error === undefined ? {} : { error: step.error, error_type: 'ShellError' }),
      }),
    );
  const request = { model: 'a-model', query_source: 'sdk', duration_ms: '5' };
  logs.push(log('api_request', (own.at(-1)?.second ?? 0) + 2, request));
  return [JSON.stringify(otlpLogs(logs, { resource: { 'service.name': 'claude-code' } }))];
};

function reportOf(importer: TranscriptImporter, lines: Lines, session: HistorySession, place: Place): ExecutionReport {
  const [report] = importer.derive(lines(session, place)).reports;
  if (report === undefined) throw new Error(`no report of ${session.id}`);
  return report;
}

const half = (session: HistorySession): HistorySession => {
  const own = session.steps.length - session.copied;
  return { ...session, steps: session.steps.slice(0, session.copied + Math.ceil(own / 2)) };
};

/** The report of a session by one of the roads, as its importer reads it. `n` tells the copies of one apart. */
export function reportBy(
  road: History['more'][number]['road'],
  session: HistorySession,
  place: Place,
  n = 0,
): ExecutionReport {
  const copy = { ...session, id: `${session.id}z${n}` };
  switch (road) {
    case 'transcript':
    case 'by file':
      return reportOf(claudeCodeImporter, transcript, session, place);
    case 'beginning':
      return reportOf(claudeCodeImporter, transcript, half(session), place);
    case 'copy':
      return reportOf(claudeCodeImporter, transcript, copy, place);
    case 'hooks':
      return reportOf(claudeCodeHooksImporter, hooks, session, place);
    case 'hooks so far':
      return reportOf(claudeCodeHooksImporter, hooks, half(session), place);
    case 'trace':
      return reportOf(otelImporter, trace, session, place);
  }
}
