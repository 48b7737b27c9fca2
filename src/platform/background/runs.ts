import { z } from 'zod';
import { DAY_MS } from '../base/durations.js';
import { idRange } from '../base/id-prefix.js';
import { readRow, readRows } from '../database/damaged-rows.js';
import type { Tx } from '../database/database.js';

const Trigger = z.enum(['schedule', 'request']);
const State = z.enum(['running', 'completed', 'failed']);

/** A run of background work. A kind adds what it was started with, and its report. */
export interface Run<I, R> {
  readonly id: string;
  readonly trigger: z.infer<typeof Trigger>;
  readonly dryRun: boolean;
  /** Whose memory it is about; null: of no single agent. */
  readonly agentId: string | null;
  readonly input: I;
  readonly state: z.infer<typeof State>;
  /** The last phase that began. */
  readonly phase: string | null;
  readonly report: R | null;
  readonly failure: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly undoneAt: Date | null;
}

type Started<I> = Pick<Run<I, never>, 'id' | 'trigger' | 'dryRun' | 'startedAt'>;

interface RunFilter {
  /** The beginning of an id. */
  readonly id?: string | undefined;
  readonly agentId?: string;
  readonly state?: Run<never, never>['state'];
  readonly dryRun?: boolean;
}

type Row = Awaited<ReturnType<Tx['run']['findUniqueOrThrow']>>;

const NEWEST_FIRST = [{ startedAt: 'desc' }, { id: 'desc' }] as const;
const DIED = 'The process ended during the run.';

/** The runs of one kind. The lease that lets one run at a time, and the journal, are the owner's. */
export class Runs<I extends object, R extends object> {
  constructor(
    private readonly kind: 'upkeep' | 'consolidation' | 'retention',
    private readonly input: z.ZodType<I>,
    private readonly report: z.ZodType<R>,
  ) {}

  async start(
    tx: Tx,
    run: Started<I> & { readonly input: I; readonly agentId?: string; readonly phase?: string; readonly report?: R },
  ): Promise<void> {
    const { report, input, ...rest } = run;
    const json = { input: { ...input }, ...(report ? { report: { ...report } } : {}) };
    await tx.run.createMany({ data: [{ ...rest, ...json, kind: this.kind, state: 'running' }] });
  }

  /** Fails what still runs, of this agent or of all. The caller holds the lease, so their processes have died. */
  async expire(tx: Tx, at: Date, agentId?: string): Promise<Run<I, R>[]> {
    const where = { kind: this.kind, state: 'running', ...(agentId === undefined ? {} : { agentId }) };
    const rows = await tx.run.findMany({ where, orderBy: { startedAt: 'asc' } });
    const dead = readRows('run', rows, this.read);
    for (const { id } of dead) await this.fail(tx, id, DIED, at);
    return dead.map((run) => ({ ...run, state: 'failed', failure: DIED, finishedAt: at }));
  }

  setPhase(tx: Tx, id: string, phase: string): Promise<boolean> {
    return this.change(tx, id, { phase });
  }

  /** Stores what is done so far, in the transaction that did it. */
  progress(tx: Tx, id: string, report: R): Promise<boolean> {
    return this.change(tx, id, { report: { ...report } });
  }

  complete(tx: Tx, id: string, report: R, finishedAt: Date): Promise<boolean> {
    return this.change(tx, id, { report: { ...report }, state: 'completed', finishedAt });
  }

  fail(tx: Tx, id: string, failure: string, finishedAt: Date): Promise<boolean> {
    return this.change(tx, id, { state: 'failed', failure, finishedAt });
  }

  /** Compare-and-set: returns false if it was undone before. */
  async setUndone(tx: Tx, id: string, undoneAt: Date): Promise<boolean> {
    const { count } = await tx.run.updateMany({ where: { id, kind: this.kind, undoneAt: null }, data: { undoneAt } });
    return count === 1;
  }

  async find(tx: Tx, id: string): Promise<Run<I, R> | undefined> {
    return readRow('run', await tx.run.findUnique({ where: { id, kind: this.kind } }), this.read);
  }

  /** The latest runs, newest first. */
  async list(tx: Tx, { id, ...filter }: RunFilter, limit: number): Promise<Run<I, R>[]> {
    const where = { kind: this.kind, ...filter, ...(id ? { id: idRange(id) } : {}) };
    const rows = await tx.run.findMany({ where, orderBy: [...NEWEST_FIRST], take: limit });
    return readRows('run', rows, this.read);
  }

  async newest(tx: Tx, filter: RunFilter = {}): Promise<Run<I, R> | undefined> {
    return (await this.list(tx, filter, 1))[0];
  }

  /** Compare-and-set: false if it does not run any more. */
  private async change(tx: Tx, id: string, data: Parameters<Tx['run']['updateMany']>[0]['data']): Promise<boolean> {
    const { count } = await tx.run.updateMany({ where: { id, kind: this.kind, state: 'running' }, data });
    return count === 1;
  }

  private readonly read = ({ kind: _kind, ...row }: Row): Run<I, R> => ({
    ...row,
    trigger: Trigger.parse(row.trigger),
    state: State.parse(row.state),
    input: this.input.parse(row.input),
    report: row.report === null ? null : this.report.parse(row.report),
  });
}

/** Until when a run can be undone; undefined if it changed nothing. */
export const undoUntil = (
  { state, dryRun, finishedAt }: Run<unknown, unknown>,
  changes: number,
  days: number,
): Date | undefined =>
  state !== 'completed' || dryRun || !finishedAt || changes === 0
    ? undefined
    : new Date(finishedAt.getTime() + days * DAY_MS);

/** The times of a run as they are shown. */
export const shownTimes = ({ startedAt, finishedAt, undoneAt }: Run<unknown, unknown>, until?: Date) => ({
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  undoneAt: undoneAt?.toISOString() ?? null,
  undoUntil: undoneAt ? null : (until?.toISOString() ?? null),
});
