import { sha256 } from '../platform/canonical-json.js';
import { isShellTool } from './action.js';
import { projectName } from './agent-name.js';
import { ClaudeCodeSession, type RawCall, type SessionEnd } from './claude-code-session.js';
import { TranscriptRecord } from './claude-code-transcript.schema.js';
import { parseCommandLine } from './command-line.js';
import { errorClass } from './error-class.js';
import { clipErrorText } from './error-text.js';
import { ExecutionReport, REPORT_LIMITS, type ToolCall } from './execution-report.schema.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from './importer.js';
import { normaliseCommand } from './normalised-command.js';
import { outcomeForSkills } from './skill-use.js';
import { normaliseToolInput } from './tool-action.js';

const MAX_LINE = 20_000_000;
/** Tools whose errors quote the file or the page after their first line. */
const QUOTING_TOOLS =
  /^(?:Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead|Grep|Glob|LS|WebFetch|WebSearch|mcp__.{0,200})$/;

const COUNTED_ATTACHMENTS: ReadonlySet<string> = new Set(['max_turns_reached', 'skill_listing']);

type DatedRecord = TranscriptRecord & { timestamp: string };

export { agentNameFor } from './agent-name.js';

/**
 * Claude Code transcripts (formats C2): one report per session and per sub-agent. Conversation, prompts, file contents and
 * the output of calls that went well stay on the machine; the task leaves as a hash. The same lines give the same report;
 * a file that has grown gives a new execution of the same session.
 */
export const claudeCodeImporter: TranscriptImporter = {
  format: 'claude-code',
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new Tally();
    const sessions = new Map<string, ClaudeCodeSession>();
    const seen = context.seenToolUses ?? new Set<string>();
    for (const line of lines) {
      const record = readRecord(line, tally);
      if (record !== undefined) sessionFor(record, sessions, context).add(record, seen);
    }
    const reports: ExecutionReport[] = [];
    const skillUses: DerivedExecutions['skillUses'] = [];
    for (const session of mainFirst(sessions.values())) {
      const own = reportOf(session, reports, context, tally);
      reports.push(...own);
      skillUses.push(...own.flatMap((report) => skillUsesOf(report, session)));
    }
    if (sessions.size === 0) tally.leave('no turns');
    return { reports, skillUses, counts: tally.counts(), left: tally.left() };
  },
};

class Tally {
  lines = 0;
  badLines = 0;
  readonly skipped = new Map<string, number>();
  readonly leftOut = new Map<string, number>();

  skip(reason: string): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }

  leave(reason: string, count = 1): void {
    if (count > 0) this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + count);
  }

  counts(): DerivedExecutions['counts'] {
    return { lines: this.lines, badLines: this.badLines, skippedRecords: Object.fromEntries(this.skipped) };
  }

  left(): DerivedExecutions['left'] {
    return [...this.leftOut].map(([reason, count]) => ({ reason, count }));
  }
}

function readRecord(line: string, tally: Tally): DatedRecord | undefined {
  if (line.trim() === '') return undefined;
  tally.lines += 1;
  const parsed = TranscriptRecord.safeParse(line.length > MAX_LINE ? undefined : parseJson(line));
  if (!parsed.success) {
    tally.badLines += 1;
    return undefined;
  }
  const record = parsed.data;
  const counts =
    record.type === 'user' || record.type === 'assistant' || COUNTED_ATTACHMENTS.has(record.attachment?.type ?? '');
  if (!counts) tally.skip('not a turn');
  else if (record.timestamp === undefined) tally.skip('no timestamp');
  else return { ...record, timestamp: record.timestamp };
  return undefined;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function sessionFor(
  record: TranscriptRecord,
  sessions: Map<string, ClaudeCodeSession>,
  context: ImportContext,
): ClaudeCodeSession {
  const sessionId = clipId(record.sessionId ?? context.sessionHint ?? 'unnamed');
  const agentId = record.isSidechain === true ? clipId(record.agentId ?? 'sub-agent') : undefined;
  const key = `${sessionId}\n${agentId ?? ''}`;
  const session = sessions.get(key) ?? new ClaudeCodeSession(sessionId, agentId);
  sessions.set(key, session);
  return session;
}

/** Ids of the file's author end up in ours, which have a bound. */
function clipId(id: string): string {
  return id.replace(/[^\w.-]/g, '-').slice(0, 60);
}

/** Older versions wrote sub-agents into their session's own file: their parent must be known before them. */
function mainFirst(sessions: Iterable<ClaudeCodeSession>): ClaudeCodeSession[] {
  return [...sessions].sort((a, b) => Number(a.agentId !== undefined) - Number(b.agentId !== undefined));
}

function parentOf(session: ClaudeCodeSession, reports: readonly ExecutionReport[], context: ImportContext): string {
  const main = reports.find((report) => report.sessionId === session.sessionId);
  return context.parentExecutionId ?? main?.executionId ?? `claude-code:${session.sessionId}`;
}

function reportOf(
  session: ClaudeCodeSession,
  earlier: readonly ExecutionReport[],
  context: ImportContext,
  tally: Tally,
): ExecutionReport[] {
  tally.leave('duplicate tool call', session.duplicates);
  const answered = [...session.calls.values()].filter((call) => call.result !== undefined);
  tally.leave('tool call without a result', session.calls.size - answered.length);
  tally.leave('tool call beyond the limit of a report', answered.length - REPORT_LIMITS.toolCalls);
  if (answered.length === 0 && session.turns.size === 0) {
    tally.leave('no turns');
    return [];
  }
  const parsed = ExecutionReport.safeParse({
    ...draftReport(session, answered.slice(0, REPORT_LIMITS.toolCalls), context),
    ...(session.agentId === undefined ? {} : { parentExecutionId: parentOf(session, earlier, context) }),
  });
  if (parsed.success) return [parsed.data];
  tally.leave(`not a valid report: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
  return [];
}

function skillUsesOf(report: ExecutionReport, session: ClaudeCodeSession): DerivedExecutions['skillUses'] {
  const uses = session.skills.list();
  return uses.length === 0 ? [] : [{ executionId: report.executionId, outcome: outcomeForSkills(report), uses }];
}

function draftReport(session: ClaudeCodeSession, answered: readonly RawCall[], context: ImportContext): object {
  const { sessionId, agentId } = session;
  const prompt = normalisePrompt(session.prompt ?? `${sessionId} ${agentId ?? ''}`);
  const retries = countRetries(answered);
  const project = projectName(context.cwd ?? session.cwd ?? '');
  return {
    executionId: `claude-code:${sessionId}:${clipId(session.lastUuid ?? session.finishedAt ?? '')}`,
    taskId: `task-${sha256(prompt).slice(0, 16)}`,
    // the same words for every project: the title is part of the origin, and one task in three projects is one origin
    taskTitle: `Claude Code ${agentId === undefined ? 'session' : 'sub-agent'}`,
    // a sub-agent is a session of its own, or its lesson would replace that of the session that started it
    sessionId: agentId === undefined ? sessionId : `${sessionId}:${agentId}`,
    ...(session.model === undefined ? {} : { model: session.model.slice(0, REPORT_LIMITS.category) }),
    startedAt: session.startedAt,
    finishedAt: session.finishedAt,
    verification: { outcome: 'none' },
    ...ending(session.end),
    toolCalls: answered.map(toolCall),
    sources: sourcesOf(prompt, session.calls.values()),
    turnCount: session.turns.size,
    retryCount: retries,
    maxRetries: retries,
    tags: [
      'claude-code',
      `project:${project}`.slice(0, REPORT_LIMITS.tag),
      ...(agentId === undefined ? [] : ['sub-agent']),
    ],
  };
}

/** "Completed" means ended normally: no transcript tells whether the task succeeded (formats 0.5). */
function ending(end: SessionEnd): Pick<ExecutionReport, 'status' | 'terminationReason' | 'errorCategory'> {
  switch (end.kind) {
    case 'ended':
      return { status: 'completed', terminationReason: 'ended' };
    case 'stopped':
      return { status: 'failed', terminationReason: end.reason, errorCategory: end.reason };
    case 'api_error': {
      const type = end.type.replace(/[^\w-]/g, '_').slice(0, 60);
      const what = [end.status, type].filter((part) => part !== undefined && part !== '').join(':');
      const category = end.status === undefined ? type || 'api_error' : `http-${end.status}`;
      return { status: 'failed', terminationReason: `api_error:${what || 'unknown'}`, errorCategory: category };
    }
    default:
      return { status: 'aborted', terminationReason: end.kind };
  }
}

function toolCall(call: RawCall): ToolCall {
  const { result } = call;
  const duration = result === undefined ? -1 : Date.parse(result.at) - Date.parse(call.at);
  const text = result?.failed === true ? result.text : undefined;
  return {
    name: call.name.trim().slice(0, REPORT_LIMITS.id) || 'unnamed',
    action: actionOf(call),
    ok: result?.failed !== true,
    ...(text === undefined ? {} : { errorCategory: errorClass(text).name.slice(0, REPORT_LIMITS.category) }),
    ...(text === undefined ? {} : { errorMessage: clipErrorText(text, QUOTING_TOOLS.test(call.name)) }),
    ...(duration >= 0 && duration <= 1_000_000 ? { durationMs: duration } : {}),
  };
}

function actionOf(call: RawCall): string {
  return isShellTool(call.name) ? normaliseCommand(commandOf(call)) : normaliseToolInput(call.name, call.input);
}

function commandOf({ input }: RawCall): string {
  const command = typeof input === 'object' && input !== null && 'command' in input ? input.command : '';
  return typeof command === 'string' ? command : '';
}

/** Calls that repeat, to the letter, one that had failed before. */
function countRetries(calls: readonly RawCall[]): number {
  const failed = new Set<string>();
  let retries = 0;
  for (const call of calls) {
    const key = JSON.stringify([call.name, call.input]);
    if (failed.has(key)) retries += 1;
    if (call.result?.failed === true) failed.add(key);
  }
  return retries;
}

/** Hashes of what fed the session (threats §7.17): the task, pages fetched, repositories cloned. */
function sourcesOf(prompt: string, calls: Iterable<RawCall>): string[] {
  const sources = new Set([prompt]);
  for (const call of calls) {
    for (const url of isShellTool(call.name) ? clonedUrls(commandOf(call)) : fetchedUrls(call.input)) {
      if (sources.size < REPORT_LIMITS.sources) sources.add(normaliseUrl(url));
    }
  }
  return [...sources].map((source) => `sha256:${sha256(source)}`);
}

function fetchedUrls(input: unknown): string[] {
  const url = typeof input === 'object' && input !== null && 'url' in input ? input.url : undefined;
  return typeof url === 'string' ? [url] : [];
}

function clonedUrls(command: string): string[] {
  if (!command.includes('clone')) return [];
  return parseCommandLine(command).flatMap(({ words }) => {
    const texts = words.map((word) => word.text);
    if (!texts.includes('clone')) return [];
    return texts.filter((text) => text.includes('://') || /^[\w.-]{1,60}@[\w.-]{1,200}:/.test(text)).slice(0, 1);
  });
}

/** One repository is one source, whatever the credentials, the protocol's spelling and the `.git` at its end. */
function normaliseUrl(url: string): string {
  return url
    .slice(0, 2_000)
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]{1,20}:\/\//, '')
    .replace(/^[^/@]{0,300}@/, '')
    .replace(/^([^/:]{1,200}):(?!\d)/, '$1/')
    .replace(/[#?].*$/, '')
    .replace(/(?:\.git)?\/{0,3}$/, '');
}

function normalisePrompt(prompt: string): string {
  return prompt.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
