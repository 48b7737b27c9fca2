import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { columnsAs, insertRows } from '../../platform/database/rows.js';
import type { Statements } from '../../platform/database/statements.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { STAGES, type Stage } from './audience.js';

/** One stage of a version's ramp. The last one has no end while the version lives. */
export interface RolloutStage {
  readonly id: string;
  readonly memoryId: string;
  readonly skillName: string;
  readonly version: number;
  readonly percent: Stage;
  readonly since: Date;
  readonly until: Date | null;
}

const COLUMNS = columnsAs(Object.keys(Prisma.SkillRolloutScalarFieldEnum), 'r');

type Row = Awaited<ReturnType<Tx['skillRollout']['findUniqueOrThrow']>>;

function fromRow(row: Row): RolloutStage {
  const percent = STAGES.find((stage) => stage === row.percent);
  if (percent === undefined) throw new Error(`${row.percent} % is no stage`);
  return { ...row, percent };
}

@Injectable()
export class RolloutRepository {
  async create(tx: Statements, stages: readonly Omit<RolloutStage, 'until'>[]): Promise<void> {
    await insertRows(tx, 'skill_rollout', stages);
  }

  /** Compare-and-set: false when the stage was over already. */
  async end(tx: Tx, id: string, until: Date): Promise<boolean> {
    const { count } = await tx.skillRollout.updateMany({ where: { id, until: null }, data: { until } });
    return count === 1;
  }

  /** The stages of these versions, oldest first. */
  async ofMemories(tx: Statements, memoryIds: readonly string[]): Promise<RolloutStage[]> {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM "skill_rollout" r WHERE "memory_id" = ANY (${[...memoryIds]}::uuid[]) ORDER BY "since", "id"`;
    return rows.map(fromRow);
  }

  /** The stages that withhold a skill from somebody, now or once, whether their version still lives or not. */
  async withheld(tx: Tx): Promise<RolloutStage[]> {
    const rows = await tx.skillRollout.findMany({ where: { percent: { lt: 100 } }, orderBy: { since: 'asc' } });
    return rows.map(fromRow);
  }
}
