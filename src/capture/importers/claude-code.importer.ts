import { homeOwners } from '../../untrusted/text/paths.js';
import { projectName } from '../report/agent-name.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { ClaudeCodeSession } from './claude-code-session.js';
import { TranscriptRecord } from './claude-code-transcript.schema.js';
import { retriesOf, toolCallsOf } from './foreign-call.js';
import { clipId, foreignEnvironment, foreignReport } from './foreign-report.js';
import { ImportTally, readLine } from './import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from './importer.js';
import { sourcesOfCall, taskHash } from './task-sources.js';

const CLAUDE_CODE = 'claude-code';
const COUNTED_ATTACHMENTS: ReadonlySet<string> = new Set(['max_turns_reached', 'skill_listing']);

export type DatedRecord = TranscriptRecord & { timestamp: string };

export { agentNameFor } from '../report/agent-name.js';

/**
 * Imports Claude Code transcripts: one report per session and per sub-agent. Conversation, prompts, file contents and
 * the output of successful calls stay on the machine; the task leaves it as a hash. The same lines give the same
 * report; a file that has grown gives a new execution of the same session.
 */
export const claudeCodeImporter: TranscriptImporter = {
  format: CLAUDE_CODE,
  byLine: true,
  recognises: (record) => 'sessionId' in record && 'type' in record,
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const sessions = new Map<string, ClaudeCodeSession>();
    const seen = context.seenToolUses ?? new Set<string>();
    for (const line of lines) {
      const record = readRecord(line, tally);
      if (record !== undefined) sessionFor(record, sessions, context).add(record, seen);
    }
    return deriveSessions(CLAUDE_CODE, sessions, context, tally);
  },
};

/** The reports of sessions and of their sub-agents, in the format of the record that holds them. */
export function deriveSessions(
  format: string,
  sessions: ReadonlyMap<string, ClaudeCodeSession>,
  context: ImportContext,
  tally: ImportTally,
): DerivedExecutions {
  const reports: ExecutionReport[] = [];
  const skillUses: DerivedExecutions['skillUses'] = [];
  const ordered = mainFirst(sessions.values());
  // a verdict that names no task is about one session
  const isOne = ordered.filter(({ agentId }) => agentId === undefined).length === 1;
  const judgements = context.judgements?.map((one) => ({ ...one, isOfOne: one.isOfOne && isOne }));
  for (const session of ordered) {
    const report = reportOf(format, session, reports, { ...context, judgements }, tally);
    if (report === undefined) continue;
    reports.push(report);
    skillUses.push(...session.skills.of(report));
  }
  if (sessions.size === 0) tally.omit('no turns');
  return { reports, skillUses, counts: tally.counts(), omitted: tally.omitted() };
}

function readRecord(line: string, tally: ImportTally): DatedRecord | undefined {
  const value = readLine(line, tally);
  if (value === undefined) return undefined;
  const parsed = TranscriptRecord.safeParse(value);
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

/** The session of the record, or that of its sub-agent. */
export function sessionFor(
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

/**
 * Older versions wrote sub-agents into their session's file. The session comes first, because its execution id is their
 * parent id.
 */
function mainFirst(sessions: Iterable<ClaudeCodeSession>): ClaudeCodeSession[] {
  return [...sessions].sort((a, b) => Number(a.agentId !== undefined) - Number(b.agentId !== undefined));
}

function parentOf(
  format: string,
  session: ClaudeCodeSession,
  reports: readonly ExecutionReport[],
  context: ImportContext,
): string {
  const main = reports.find((report) => report.sessionId === session.sessionId);
  return context.parentExecutionId ?? main?.executionId ?? `${format}:${session.sessionId}`;
}

function reportOf(
  format: string,
  session: ClaudeCodeSession,
  earlier: readonly ExecutionReport[],
  context: ImportContext,
  tally: ImportTally,
): ExecutionReport | undefined {
  const { sessionId, agentId } = session;
  const cwd = context.cwd ?? session.cwd ?? '';
  tally.omit('duplicate tool call', session.duplicates);
  const calls = [...session.calls.values()];
  const answered = calls.filter((call) => call.result !== undefined);
  tally.omit('tool call without a result', calls.length - answered.length);
  if (answered.length === 0 && session.turns.size === 0) {
    tally.omit('no turns');
    return undefined;
  }
  return foreignReport(
    {
      executionId: `${format}:${sessionId}:${clipId(session.lastUuid ?? session.finishedAt?.replaceAll(':', '-') ?? '')}`,
      taskTitle: `Claude Code ${agentId === undefined ? 'session' : 'sub-agent'}`,
      task: taskHash(session.prompt ?? `${sessionId} ${agentId ?? ''}`),
      sources: calls.flatMap(({ name, input }) => sourcesOfCall(name, input)),
      // a sub-agent has a separate session id, or its lesson would replace the lesson of its parent session
      sessionId: agentId === undefined ? sessionId : `${sessionId}:${agentId}`,
      parentExecutionId: agentId === undefined ? undefined : parentOf(format, session, earlier, context),
      model: session.model,
      startedAt: session.startedAt,
      finishedAt: session.finishedAt,
      end: session.end,
      environment: environmentOf(session, cwd),
      calls: toolCallsOf(calls, { notices: session.outputs.notices(), owners: homeOwners(cwd) }),
      retryCount: retriesOf(answered),
      turnCount: session.turns.size,
      tags: [format, `project:${projectName(cwd)}`, ...(agentId === undefined ? [] : ['sub-agent'])],
    },
    tally,
    context,
  );
}

function environmentOf({ version, outputs }: ClaudeCodeSession, cwd: string) {
  return foreignEnvironment({ harness: CLAUDE_CODE, harnessVersion: version, cwd }, outputs.environment());
}
