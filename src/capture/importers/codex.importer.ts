import { homeOwners } from '../../untrusted/text/paths.js';
import { projectName } from '../report/agent-name.js';
import { RolloutLine } from './codex-rollout.schema.js';
import { CodexSession } from './codex-session.js';
import { errorFields, retriesOf, toolCallsOf } from './foreign-call.js';
import { clipId, foreignEnvironment, foreignReport } from './foreign-report.js';
import { ImportTally, readLine } from './import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from './importer.js';
import { sourcesOfCall, taskHash } from './task-sources.js';

const TYPES: ReadonlySet<unknown> = new Set(['session_meta', 'event_msg', 'response_item', 'turn_context']);

/**
 * Imports Codex rollouts: one report per file, which is one session. As for every transcript, conversation and outputs
 * stay on the machine.
 */
export const codexImporter: TranscriptImporter = {
  format: 'codex',
  byLine: true,
  recognises: (record) => 'payload' in record && TYPES.has(record['type']),
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const session = new CodexSession();
    const seen = context.seenToolUses ?? new Map<string, string>();
    for (const line of lines) {
      const value = readLine(line, tally);
      if (value === undefined) continue;
      const parsed = RolloutLine.safeParse(value);
      if (parsed.success) session.add(parsed.data, seen);
      else tally.badLines += 1;
    }
    const report = reportOf(session, context, tally);
    return {
      reports: report === undefined ? [] : [report],
      skillUses: report === undefined ? [] : session.skills.of(report),
      counts: tally.counts(),
      omitted: tally.omitted(),
    };
  },
};

function reportOf(session: CodexSession, context: ImportContext, tally: ImportTally) {
  tally.omit('duplicate tool call', session.duplicates);
  const calls = session.callsMade();
  const answered = calls.filter((call) => call.result !== undefined);
  tally.omit('tool call without a result', calls.length - answered.length);
  // a rollout with only token counts describes no execution
  if (answered.length === 0 && session.prompt === undefined) {
    tally.omit('no turns');
    return undefined;
  }
  const cwd = context.cwd ?? session.cwd ?? '';
  const id = clipId(session.id ?? context.sessionHint ?? 'unnamed');
  return foreignReport(
    {
      executionId: `codex:${id}:${clipId(session.finishedAt?.replaceAll(':', '-') ?? '')}`,
      taskTitle: `Codex ${session.parent === undefined ? 'session' : 'sub-agent'}`,
      task: taskHash(session.prompt ?? id),
      sources: calls.flatMap(({ name, input }) => sourcesOfCall(name, input)),
      sessionId: id,
      parentExecutionId:
        session.parent === undefined ? undefined : (context.parentExecutionId ?? `codex:${clipId(session.parent)}`),
      model: session.model,
      startedAt: session.startedAt,
      finishedAt: session.finishedAt,
      end: session.end,
      errorMessage: session.errorMessage === undefined ? undefined : errorFields('', session.errorMessage).errorMessage,
      environment: environmentOf(session, cwd),
      calls: toolCallsOf(calls, { notices: session.outputs.notices(), owners: homeOwners(cwd) }),
      retryCount: retriesOf(answered),
      turnCount: session.turns === 0 ? undefined : session.turns,
      tags: ['codex', `project:${projectName(cwd)}`, ...(session.parent === undefined ? [] : ['sub-agent'])],
    },
    tally,
    context,
  );
}

function environmentOf({ version, repository, outputs }: CodexSession, cwd: string) {
  const observed = outputs.environment();
  return foreignEnvironment(
    { harness: 'codex', harnessVersion: version, cwd },
    repository === undefined ? observed : { ...observed, repository },
  );
}
