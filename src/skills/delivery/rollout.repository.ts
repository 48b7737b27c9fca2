import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { insertRows, type SqlClient, selectColumns } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { ROLLOUT_PERCENTS, type RolloutPercent } from './audience.js';

/** One rollout stage of a version. The last stage is open while the version is live. */
export interface RolloutStage {
  readonly id: string;
  readonly memoryId: string;
  readonly skillName: string;
  readonly version: number;
  readonly percent: RolloutPercent;
  readonly since: Date;
  readonly until: Date | null;
}

const COLUMNS = selectColumns(Object.keys(Prisma.SkillRolloutScalarFieldEnum), 'r');

type Row = Awaited<ReturnType<Tx['skillRollout']['findUniqueOrThrow']>>;

function fromRow(row: Row): RolloutStage {
  const percent = ROLLOUT_PERCENTS.find((stage) => stage === row.percent);
  if (percent === undefined) throw new Error(`${row.percent} % is not a rollout stage`);
  return { ...row, percent };
}

@Injectable()
export class RolloutRepository {
  async create(tx: SqlClient, stages: readonly Omit<RolloutStage, 'until'>[]): Promise<void> {
    await insertRows(tx, 'skill_rollout', stages);
  }

  /** Compare-and-set: returns false if the stage had ended before. */
  async end(tx: Tx, id: string, until: Date): Promise<boolean> {
    const { count } = await tx.skillRollout.updateMany({ where: { id, until: null }, data: { until } });
    return count === 1;
  }

  /** The stages of these versions, oldest first. */
  async ofMemories(tx: SqlClient, memoryIds: readonly string[]): Promise<RolloutStage[]> {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM "skill_rollout" r WHERE "memory_id" = ANY (${[...memoryIds]}::uuid[]) ORDER BY "since", "id"`;
    return rows.map(fromRow);
  }

  /** Stages below 100 %, open or ended, of live and ended versions. */
  async partialStages(tx: Tx): Promise<RolloutStage[]> {
    const rows = await tx.skillRollout.findMany({ where: { percent: { lt: 100 } }, orderBy: { since: 'asc' } });
    return rows.map(fromRow);
  }
}
