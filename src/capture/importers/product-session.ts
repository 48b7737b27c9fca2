import { optional } from '../../platform/base/optional.js';
import { homeOwners } from '../../untrusted/text/paths.js';
import { projectName } from '../report/agent-name.js';
import { callKeysOf } from '../report/call-lineage.js';
import type { ExecutionReport, Verification } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { SkillUseTally } from '../report/skill-use.js';
import { errorFields, isRepeated, keptError, type RawCall, retriesOf, toolCallsOf } from './foreign-call.js';
import type { ForeignEnd } from './foreign-end.js';
import { clipId, foreignEnvironment, foreignReport } from './foreign-report.js';
import type { ImportTally } from './import-tally.js';
import type { DerivedExecutions, ImportContext, SeenCalls } from './importer.js';
import { ObservedOutputs } from './observed-outputs.js';
import { sourcesOfCall, taskHash } from './task-sources.js';

/** The product whose transcript is read. */
export interface Product {
  /** Name of the format, and prefix of the execution's id. */
  readonly format: string;
  readonly title: string;
  /** Name of the agent's program; without it, that of the format. */
  readonly harness?: string;
  /** True if a prompt without a reply is no session. */
  readonly needsReply?: boolean;
}

/** What a call returned. `text` is kept for a failed call only. */
export interface CallResult {
  readonly failed: boolean;
  readonly text: string;
  /** Set if the record says that the call was refused. */
  readonly refused?: boolean;
  /** Set if the record names a duration; -1 if its times say nothing about it. */
  readonly durationMs?: number | undefined;
  /** The name of a skill that the call loaded, as it stands in the record. */
  readonly skill?: unknown;
}

/** Collects one session, or the session of one sub-agent, for a report. */
export class ProductSession {
  readonly calls = new Map<string, RawCall>();
  readonly replies = new Set<string>();
  readonly skills = new SkillUseTally();
  readonly outputs = new ObservedOutputs();
  id: string | undefined;
  /** For a sub-agent: the session that started it. */
  parent: string | undefined;
  /** Tells a sub-agent apart that has the id of its session. */
  part: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  repository: string | undefined;
  model: string | undefined;
  prompt: string | undefined;
  /** Names the task in the place of the prompt. Then the task alone is the origin. */
  taskId: string | undefined;
  /** The harness, the project and the system, if the record names them. */
  harness: string | undefined;
  project: string | undefined;
  operatingSystem: string | undefined;
  verification: Verification | undefined;
  /** Names by which a file beside the record may know the task, besides those of the record's file. */
  readonly taskNames: string[] = [];
  /** False for an attempt that was not chosen: what judges the run is about another one. */
  isJudgedBeside = true;
  /** Number of replies, if the record holds no more of them. */
  turns: number | undefined;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  /** Changes when the session grows. */
  lastId: string | undefined;
  errorMessage: string | undefined;
  duplicates = 0;
  /** Set if the model answered, for records that do not say how often. */
  hasAnswer = false;
  end: ForeignEnd = { kind: 'unfinished' };

  /** `seen` holds the calls of every session read so far: a forked session repeats its history. */
  constructor(private readonly seen: SeenCalls) {}

  /** Widens the time of the session to a record's. Times that cannot be read are ignored. */
  widen(at: string | undefined): void {
    const time = Date.parse(at ?? '');
    if (at === undefined || Number.isNaN(time)) return;
    if (this.startedAt === undefined || time < Date.parse(this.startedAt)) this.startedAt = at;
    if (this.finishedAt === undefined || time > Date.parse(this.finishedAt)) this.finishedAt = at;
  }

  addPrompt(text: string): void {
    if (this.prompt === undefined && text.trim() !== '') this.prompt = text;
    this.end = { kind: 'unfinished' };
  }

  /** A call that another session has shown is counted and left out. */
  addCall(id: string, call: RawCall): void {
    if (this.calls.has(id)) return;
    if (!this.isRepeated(id)) this.calls.set(id, { ...call, id });
  }

  /** True for a call that another session has shown, which is counted. */
  isRepeated(id: string): boolean {
    const owner = this.part === undefined ? (this.id ?? '') : `${this.id} ${this.part}`;
    if (!isRepeated(this.seen, owner, id)) return false;
    this.duplicates += 1;
    return true;
  }

  finishCall(id: string, result: CallResult, at: string): void {
    this.finish(this.calls.get(id), result, at);
  }

  /** The first result of a call counts. */
  finish(call: RawCall | undefined, { failed, text, refused, durationMs, skill }: CallResult, at: string): void {
    if (call === undefined || call.result !== undefined) return;
    this.outputs.read(call.name, call.input, text, failed);
    // the output of a successful call is read and never kept
    call.result = {
      failed,
      text: failed ? keptError(text) : '',
      at,
      ...(refused === true ? { refused } : {}),
      ...optional('durationMs', durationMs),
    };
    if (!failed) this.skills.add(skill, 'loaded', at);
  }
}

/** The report of a session; none for one without a turn. */
export function deriveSession(
  product: Product,
  session: ProductSession,
  context: ImportContext,
  tally: ImportTally,
): DerivedExecutions {
  const report = reportOfSession(product, session, context, tally);
  return {
    reports: report === undefined ? [] : [report],
    skillUses: report === undefined ? [] : session.skills.of(report),
    counts: tally.counts(),
    omitted: tally.omitted(),
  };
}

/** The report of one of several sessions in a file. */
export function reportOfSession(
  { format, title, harness = format, needsReply = false }: Product,
  session: ProductSession,
  context: ImportContext,
  tally: ImportTally,
): ExecutionReport | undefined {
  tally.omit('duplicate tool call', session.duplicates);
  const calls = [...session.calls.values()];
  const answered = calls.filter((call) => call.result !== undefined);
  tally.omit('tool call without a result', calls.length - answered.length);
  const isSilent = session.replies.size === 0 && !session.hasAnswer;
  if (answered.length === 0 && isSilent && (needsReply || session.prompt === undefined)) {
    tally.omit('no turns');
    return undefined;
  }
  const cwd = context.cwd ?? session.cwd ?? '';
  const id = clipId(session.id ?? context.sessionHint ?? 'unnamed');
  const isSubAgent = session.parent !== undefined;
  const { taskId, prompt, errorMessage } = session;
  const last = session.lastId ?? session.finishedAt?.replaceAll(':', '-') ?? '';
  return foreignReport(
    {
      executionId: `${format}:${id}:${clipId(last)}`,
      taskTitle: `${title} ${isSubAgent ? 'sub-agent' : 'session'}`,
      task: taskHash(taskId ?? prompt ?? (session.part === undefined ? id : `${id} ${session.part}`)),
      sources: taskId === undefined ? calls.flatMap(({ name, input }) => sourcesOfCall(name, input)) : [],
      // A sub-agent has a separate session id, or its lesson would replace the lesson of its parent session.
      sessionId: session.part ? `${id}:${session.part}` : id,
      parentExecutionId: isSubAgent
        ? (context.parentExecutionId ?? `${format}:${clipId(session.parent ?? '')}`)
        : undefined,
      model: session.model,
      startedAt: session.startedAt ?? context.recordedAt,
      finishedAt: session.finishedAt ?? context.recordedAt,
      end: session.end,
      errorMessage: errorMessage === undefined ? undefined : errorFields('', errorMessage).errorMessage,
      verification: session.verification,
      environment: environmentOf(harness, session, cwd),
      callKeys: callKeysOf(answered),
      calls: toolCallsOf(calls, { notices: session.outputs.notices(), owners: homeOwners(cwd) }),
      retryCount: retriesOf(answered),
      turnCount: session.replies.size === 0 ? wholeNumber(session.turns) : session.replies.size,
      tags: [format, `project:${projectName(session.project ?? cwd)}`, ...(isSubAgent ? ['sub-agent'] : [])],
    },
    tally,
    session.isJudgedBeside
      ? { ...context, taskIds: [...session.taskNames, ...(context.taskIds ?? [])] }
      : { ...context, judgements: [] },
  );
}

const wholeNumber = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isInteger(count) && count >= 0 && count <= 1_000_000 ? count : undefined;

function environmentOf(harness: string, session: ProductSession, cwd: string) {
  const { project, operatingSystem } = session;
  const repository = repositoryLabel(session.repository ?? '');
  const known = {
    ...optional('project', project),
    ...optional('operatingSystem', operatingSystem),
    ...session.outputs.environment(),
    ...optional('repository', repository),
  };
  return foreignEnvironment({ harness: session.harness ?? harness, harnessVersion: session.version, cwd }, known);
}
