import { Injectable } from '@nestjs/common';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import {
  MeasuredAgain,
  TuningKind,
  type TuningPlan,
  TuningRun,
  type TuningRunQuery,
  TuningStage,
  TuningState,
  TuningVerdict,
} from '../checkpoints/tuning.schema.js';

/** A run with what only the runner reads. */
export interface StoredTuningRun extends Omit<TuningRun, 'createdAt' | 'startedAt' | 'savedAt' | 'finishedAt'> {
  readonly servedCheckpointId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly savedAt: Date | null;
  readonly finishedAt: Date | null;
}

export interface NewTuningRun extends Pick<StoredTuningRun, 'id' | 'trigger' | 'requestedBy' | 'createdAt'> {
  readonly plan: TuningPlan;
}

export interface InputFacts {
  readonly documents: number;
  readonly queries: number;
  readonly inputSha256: string;
}

const ACTIVE = ['queued', 'running'];
/** The saved state is large, and only the runner reads it. */
const OMIT = { saved: true, seed: true } as const;

type Row = Omit<Awaited<ReturnType<Tx['tuningRun']['findUniqueOrThrow']>>, 'saved' | 'seed'>;

const toRun = ({ stepsDone: done, stepsTotal: total, queries: pairs, ...row }: Row): StoredTuningRun => ({
  ...row,
  kind: TuningKind.parse(row.kind),
  trigger: row.trigger === 'schedule' ? 'schedule' : 'request',
  state: TuningState.parse(row.state),
  stage: TuningStage.parse(row.stage),
  progress: { done, total },
  plan: TuningRun.shape.plan.parse(row.plan),
  pairs,
  verdict: TuningVerdict.nullable().parse(row.verdict),
  measuredAgain: MeasuredAgain.nullable().parse(row.measuredAgain),
  outcome: TuningRun.shape.outcome.parse(row.outcome),
});

/** Every change is compare-and-set: false if the run is no longer in the state that the change begins with. */
@Injectable()
export class TuningRunRepository {
  /** Returns false while another run is queued or running. */
  async insert(tx: Tx, { plan, ...run }: NewTuningRun): Promise<boolean> {
    const inserted = await tx.$executeRaw`
      INSERT INTO "tuning_run" ("id", "kind", "trigger", "state", "stage", "plan", "seed", "requested_by", "notes", "created_at")
        VALUES (${run.id}::uuid, ${plan.kind}, ${run.trigger}, 'queued', 'collect', ${JSON.stringify(plan)}::jsonb,
          ${plan.seed}, ${run.requestedBy}::uuid, '{}', ${run.createdAt})
        ON CONFLICT ((true)) WHERE "state" IN ('queued', 'running') DO NOTHING`;
    return inserted === 1;
  }

  async find(tx: Tx, id: string): Promise<StoredTuningRun | undefined> {
    return readRow('tuning_run', await tx.tuningRun.findUnique({ where: { id }, omit: OMIT }), toRun);
  }

  /** The run that is queued or running. */
  async active(tx: Tx): Promise<StoredTuningRun | undefined> {
    return readRow('tuning_run', await tx.tuningRun.findFirst({ where: { state: { in: ACTIVE } }, omit: OMIT }), toRun);
  }

  async newest(tx: Tx, where: { kind?: TuningKind; state?: TuningState } = {}): Promise<StoredTuningRun | undefined> {
    const row = await tx.tuningRun.findFirst({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      omit: OMIT,
    });
    return readRow('tuning_run', row, toRun);
  }

  /** A page of the runs, newest first, and how many there are. */
  async page(tx: Tx, { limit, offset }: TuningRunQuery): Promise<{ runs: StoredTuningRun[]; total: number }> {
    const rows = await tx.tuningRun.findMany({
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
      skip: offset,
      omit: OMIT,
    });
    return { runs: readRows('tuning_run', rows, toRun), total: await tx.tuningRun.count() };
  }

  begin(tx: Tx, id: string, now: Date): Promise<boolean> {
    return changed(
      tx.$executeRaw`UPDATE "tuning_run" SET "state" = 'running', "started_at" = coalesce("started_at", ${now})
        WHERE "id" = ${id}::uuid AND "state" IN ('queued', 'running')`,
    );
  }

  setStage(tx: Tx, id: string, stage: TuningStage, { done, total } = { done: 0, total: 0 }): Promise<boolean> {
    return this.update(tx, id, { stage, stepsDone: done, stepsTotal: total });
  }

  setServed(tx: Tx, id: string, servedCheckpointId: string | null): Promise<boolean> {
    return this.update(tx, id, { servedCheckpointId });
  }

  setInput(tx: Tx, id: string, facts: InputFacts, notes: string[]): Promise<boolean> {
    return this.update(tx, id, { ...facts, notes: { push: notes } });
  }

  /** The training ended with this verdict, and with a checkpoint if it may be deployed. */
  setVerdict(tx: Tx, id: string, verdict: TuningVerdict, checkpointId: string | null): Promise<boolean> {
    return this.update(tx, id, { verdict: { ...verdict }, checkpointId });
  }

  setMeasuredAgain(tx: Tx, id: string, measuredAgain: MeasuredAgain): Promise<boolean> {
    return this.update(tx, id, { measuredAgain: { ...measuredAgain } });
  }

  complete(tx: Tx, id: string, outcome: NonNullable<TuningRun['outcome']>, finishedAt: Date): Promise<boolean> {
    return this.update(tx, id, { state: 'completed', stage: 'done', outcome, finishedAt });
  }

  fail(tx: Tx, id: string, failure: string, finishedAt: Date): Promise<boolean> {
    return this.update(tx, id, { state: 'failed', failure, finishedAt });
  }

  /** Cancels the active run. Returns its id. */
  async cancel(tx: Tx, finishedAt: Date): Promise<string | null> {
    const [row] = await tx.$queryRaw<{ id: string }[]>`
      UPDATE "tuning_run" SET "state" = 'cancelled', "finished_at" = ${finishedAt}
       WHERE "state" IN ('queued', 'running') RETURNING "id"::text AS "id"`;
    return row?.id ?? null;
  }

  /** A run that failed or was cancelled waits again. The caller checked that no other one is active. */
  resume(tx: Tx, id: string): Promise<boolean> {
    return changed(
      tx.$executeRaw`UPDATE "tuning_run" SET "state" = 'queued', "failure" = NULL, "finished_at" = NULL
        WHERE "id" = ${id}::uuid AND "state" IN ('failed', 'cancelled')`,
    );
  }

  private async update(tx: Tx, id: string, data: Parameters<Tx['tuningRun']['updateMany']>[0]['data']) {
    const { count } = await tx.tuningRun.updateMany({ where: { id, state: 'running' }, data });
    return count === 1;
  }
}

const changed = async (rows: Promise<number>): Promise<boolean> => (await rows) === 1;
