import type { z } from 'zod';
import { sha256 } from '../../platform/base/canonical-json.js';
import { present } from '../../platform/base/optional.js';
import { homeOwners } from '../../untrusted/text/paths.js';
import { projectName } from '../report/agent-name.js';
import { callKeysOf } from '../report/call-lineage.js';
import type { ExecutionReport, Verification } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { SkillUseTally } from '../report/skill-use.js';
import { amongOthers, type FileReader, readSessions, type SessionOf } from './file-sessions.js';
import { errorFields, isReported, keptError, type RawCall, retriesOf, toolCallsOf } from './foreign-call.js';
import type { ForeignEnd } from './foreign-end.js';
import { clipId, foreignEnvironment, foreignReport } from './foreign-report.js';
import { ImportTally, parseDocument } from './import-tally.js';
import { type DerivedExecution, type ImportContext, streamingImporter, type TranscriptImporter } from './importer.js';
import { asFields, type Fields, stated } from './json-fields.js';
import { ObservedOutputs } from './observed-outputs.js';
import { sourcesOfCall, taskHash } from './task-sources.js';

/** The product whose transcript is read. */
export interface Product {
  /** Name of the format, and prefix of the execution's id. */
  readonly format: string;
  readonly title: string;
  /** Name of the agent's program; without it, that of the format. */
  readonly harness?: string;
  /** What a record of it is called in the title; without it, a session. */
  readonly unit?: string;
  /** True if records have no ids: then the text of all of them tells whether the session has grown. */
  readonly isWithoutIds?: boolean;
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

/**
 * Collects one session, or that of one sub-agent, for a report. Its events are a prompt (`addPrompt`), a call (`addCall`), a
 * result (`finish`), an end (`end`, `fail`) and a hole (`addHole`); its other fields are facts of the session.
 */
export class ProductSession {
  /** In their order, each once. */
  readonly calls: RawCall[] = [];
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
  /** The agent, where the record names one. */
  agent: string | undefined;
  project: string | undefined;
  operatingSystem: string | undefined;
  verification: Verification | undefined;
  /** 0 to 10. */
  qualityScore: number | undefined;
  /** Tags in the place of that of the project. */
  tags: readonly string[] | undefined;
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
  digest = '';
  errorMessage: string | undefined;
  duplicates = 0;
  /** True if records were lost since the last call. */
  isAfterHole = false;
  /** Set if the model answered, for records that do not say how often. */
  hasAnswer = false;
  end: ForeignEnd = 'unfinished';
  /** By an id, what its next results can belong to: calls of one reply. */
  readonly #open = new Map<string, RawCall[]>();
  /** The records of this session's calls. */
  readonly #records = new Map<string, RawCall>();

  /** Widens the time of the session to a record's. Times that cannot be read are ignored. */
  widen(at: string | undefined): void {
    const time = Date.parse(at ?? '');
    if (at === undefined || Number.isNaN(time)) return;
    if (this.startedAt === undefined || time < Date.parse(this.startedAt)) this.startedAt = at;
    if (this.finishedAt === undefined || time > Date.parse(this.finishedAt)) this.finishedAt = at;
  }

  addPrompt(text: string): void {
    this.prompt ??= stated(text);
    this.end = 'unfinished';
  }

  /** A request to the model failed. Its message can name the status. */
  fail(message: string | undefined, status = statedStatus(message ?? ''), type = ''): void {
    this.errorMessage = message;
    this.end = { kind: 'api_error', status, type };
  }

  /** Records were lost here: nothing is derived from what is before and after. */
  addHole(): void {
    this.isAfterHole = true;
    for (const call of [...this.#open.values()].flat()) call.isCut = true;
  }

  /**
   * Adds a call. The program that gives the calls of a model their ids may begin again with every reply, or give all of
   * them the same, so a call is known only if one of its `records` is known too: what names the record that holds it, in
   * ways that copies keep. The same record again is one call; without a record nothing is known. What other sessions
   * repeat, the server knows by its keys.
   */
  addCall(id: string, call: RawCall, ...records: readonly unknown[]): RawCall {
    const keys = records.map((record) => sha256(JSON.stringify([id, record])).slice(0, 24));
    const known = keys.map((key) => this.#records.get(key)).find((one) => one !== undefined);
    if (known !== undefined) {
      this.duplicates += 1;
      return known;
    }
    const own: RawCall = {
      ...call,
      id,
      ...present({ isNamed: keys.length > 0 || undefined, afterHole: this.isAfterHole || undefined }),
    };
    this.isAfterHole = false;
    for (const key of keys) this.#records.set(key, own);
    const open = this.#open.get(id);
    if (open !== undefined && own.reply !== undefined && open[0]?.reply === own.reply) open.push(own);
    else this.#open.set(id, [own]);
    this.calls.push(own);
    return own;
  }

  /** For records that begin and end a call: the one that has not ended, else a new one. */
  openCall(id: string, call: RawCall, ...records: readonly unknown[]): RawCall {
    return this.callOf(id) ?? this.addCall(id, call, ...records);
  }

  /**
   * The call that a result with this id is of: of the calls with the id in the latest reply that has one, the first
   * without a result. Undefined if there is none.
   */
  callOf(id: string): RawCall | undefined {
    const open = this.#open.get(id) ?? [];
    while (open[0]?.result !== undefined) open.shift();
    return open[0];
  }

  finishCall(id: string, result: CallResult | undefined, at: string): void {
    this.finish(this.callOf(id), result, at);
  }

  /** The first result of a call counts. Without one nothing is known of its end. */
  finish(call: RawCall | undefined, result: CallResult | undefined, at: string): void {
    if (call === undefined || result === undefined || call.result !== undefined) return;
    const { failed, text, refused, durationMs, skill } = result;
    this.outputs.read(call.name, call.input, text, failed);
    // the output of a successful call is read and never kept
    call.result = {
      failed,
      text: failed ? keptError(text) : '',
      at,
      ...present({ refused, durationMs }),
    };
    if (!failed) this.skills.add(skill, 'loaded', at);
  }
}

/** Reads the records of one session, in their order. */
export interface SessionReader<T> {
  /** The session before its sub-agents. */
  readonly sessions: Iterable<ProductSession>;
  /** False for a record of another kind than the format has. */
  add(record: T): unknown;
  /** For a reader that holds records back until the last one. */
  addHole?(): void;
  /** After the last record. */
  finish?(): void;
}

/** What is own to a format of sessions. */
export interface SessionFormat<T> extends Pick<TranscriptImporter, 'recognises' | 'byLine'> {
  readonly product: Product;
  /** What a record must be to be added. */
  readonly record: z.ZodType<T>;
  /** Whether a file with this first line is one document, which is its only record. Without it, each line is a record. */
  isDocument?(firstLine: string): boolean;
  /** For files of several sessions: the one that a record belongs to, if it belongs to any. */
  sessionOf?(record: Fields, position: number, context: ImportContext): string | undefined;
  begin(context: ImportContext, tally: ImportTally): SessionReader<T>;
}

/** The importer of a format: it adds the readable records of a file to its sessions, and makes the executions of them. */
export function sessionImporter<T>(format: SessionFormat<T>): TranscriptImporter {
  const { product, recognises, byLine, isDocument } = format;
  return streamingImporter({
    format: product.format,
    recognises,
    ...present({ byLine }),
    *stream(lines: Iterable<string>, context: ImportContext = {}) {
      const tally = new ImportTally();
      const sessionOf: SessionOf | undefined =
        format.sessionOf && ((record, position) => format.sessionOf?.(record, position, context));
      const reading = new SessionReading(format, context, tally, sessionOf);
      // a hole can stand before the first record
      if (sessionOf === undefined) reading.readerOf('');
      if (isDocument?.(firstOf(lines)) === true) {
        const value = parseDocument([...lines], tally);
        if (value !== undefined) reading.add(value, '', 0);
      } else
        yield* readSessions(lines, { context, tally, sessionOf }, (ofSession) => {
          reading.context = ofSession;
          return reading;
        });
      yield* reading.closeAll();
      return tally.read();
    },
  });
}

function firstOf(lines: Iterable<string>): string {
  for (const line of lines) if (line.trim() !== '') return line.trim();
  return '';
}

class SessionReading<T> implements FileReader {
  readonly #open = new Map<string, SessionReader<T>>();
  #isEmpty = true;

  constructor(
    private readonly format: SessionFormat<T>,
    public context: ImportContext,
    private readonly tally: ImportTally,
    private readonly sessionOf: SessionOf = () => '',
  ) {}

  add(value: unknown, line: string, position: number): void {
    const { record, product } = this.format;
    const { data, success } = record.safeParse(value);
    const id = success ? this.sessionOf(asFields(value), position) : undefined;
    const reader = id === undefined ? undefined : this.readerOf(id);
    if (!success || reader?.add(data) === false) this.tally.badLines += 1;
    else if (product.isWithoutIds === true)
      for (const session of reader?.sessions ?? []) {
        session.digest = sha256(`${session.digest} ${line.trim()}`);
        session.lastId = session.digest.slice(0, 8);
      }
  }

  addHole(): void {
    for (const reader of this.#open.values()) {
      if (reader.addHole === undefined) for (const session of reader.sessions) session.addHole();
      else reader.addHole();
    }
  }

  *close(id: string): Generator<DerivedExecution> {
    const { product } = this.format;
    const reader = this.readerOf(id);
    this.#open.delete(id);
    reader.finish?.();
    const sessions = [...reader.sessions];
    if (sessions.length === 0 && !this.tally.hasOmitted()) this.tally.omit('no turns');
    const judged = sessions.filter(({ parent, isJudgedBeside }) => parent === undefined && isJudgedBeside);
    const own = judged.length > 1 ? amongOthers(this.context) : this.context;
    let { parentExecutionId } = own;
    for (const session of sessions) {
      const report = reportOfSession(product, session, { ...own, parentExecutionId }, this.tally);
      if (report === undefined) continue;
      if (session.parent === undefined) parentExecutionId ??= report.executionId;
      yield { report, agent: session.agent, skillUses: session.skills.of(report) };
    }
  }

  /** Closes what is left, at the end of a file. */
  *closeAll(): Generator<DerivedExecution> {
    if (this.#isEmpty) this.readerOf('');
    for (const id of [...this.#open.keys()]) yield* this.close(id);
  }

  readerOf(id: string): SessionReader<T> {
    const reader = this.#open.get(id) ?? this.format.begin(this.context, this.tally);
    this.#open.set(id, reader);
    this.#isEmpty = false;
    return reader;
  }
}

/** The keys of the calls whose records have a name. The time of the file is that of all its calls, and tells none apart. */
const keysOf = (calls: readonly RawCall[], { recordedAt }: ImportContext): string[] =>
  callKeysOf(calls.map((call) => (call.at === recordedAt ? { ...call, at: '' } : call))).map((key, n) =>
    calls[n]?.isNamed === true ? key : '',
  );

/** The report of one of several sessions in a file. */
export function reportOfSession(
  { format, title, harness = format, unit = 'session', needsReply = false }: Product,
  session: ProductSession,
  context: ImportContext,
  tally: ImportTally,
): ExecutionReport | undefined {
  tally.omit('duplicate tool call', session.duplicates);
  const { calls } = session;
  const answered = calls.filter(isReported);
  tally.omit('tool call without a result', calls.length - answered.length);
  const isSilent = session.replies.size === 0 && !session.hasAnswer;
  if (answered.length === 0 && isSilent && (needsReply || session.prompt === undefined)) {
    tally.omit('no turns');
    return undefined;
  }
  const cwd = context.cwd ?? session.cwd ?? '';
  const id = clipId(stated(session.id) ?? stated(context.sessionHint) ?? 'unnamed');
  const isSubAgent = session.parent !== undefined;
  const { taskId, prompt, errorMessage } = session;
  const last = session.lastId ?? session.finishedAt?.replaceAll(':', '-') ?? '';
  return foreignReport(
    {
      executionId: `${format}:${id}:${clipId(last)}`,
      taskTitle: `${title} ${isSubAgent ? 'sub-agent' : unit}`,
      task: taskHash(stated(taskId) ?? prompt ?? (session.part === undefined ? id : `${id} ${session.part}`)),
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
      qualityScore: session.qualityScore,
      environment: environmentOf(harness, session, cwd),
      callKeys: keysOf(answered, context),
      calls: toolCallsOf(calls, { notices: session.outputs.notices(), owners: homeOwners(cwd) }),
      endsInHole: session.isAfterHole,
      retryCount: retriesOf(calls),
      turnCount: session.replies.size === 0 ? wholeNumber(session.turns) : session.replies.size,
      tags: [
        format,
        ...(session.tags ?? [`project:${projectName(session.project ?? cwd)}`]),
        ...(isSubAgent ? ['sub-agent'] : []),
      ],
    },
    tally,
    session.isJudgedBeside
      ? { ...context, taskIds: [...session.taskNames, ...(context.taskIds ?? [])] }
      : { ...context, judgements: [] },
  );
}

const STATUS = /(?:"(?:code|status)"\s{0,3}:\s{0,3}|\bstatus(?: code)?:? |\bAPI Error:? |\()(\d{3})\b/;

/** The HTTP status that the message of a failed request states. */
export function statedStatus(message: string): number | undefined {
  const code = STATUS.exec(message.slice(0, 2_000))?.[1];
  return code === undefined ? undefined : Number(code);
}

const wholeNumber = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isInteger(count) && count >= 0 && count <= 1_000_000 ? count : undefined;

function environmentOf(harness: string, session: ProductSession, cwd: string) {
  const { project, operatingSystem } = session;
  const repository = repositoryLabel(session.repository ?? '');
  const named = { harness: session.harness ?? harness, harnessVersion: session.version, cwd };
  const known = {
    ...present({ project, operatingSystem }),
    ...session.outputs.environment(),
    ...present({ repository }),
  };
  return foreignEnvironment(named, known);
}
