import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';

@Injectable()
export class RecallModelRepository {
  /**
   * Counts one more call on a day such as 2026-11-21, in one statement. Returns false, without counting, if the day
   * already has `most` calls.
   */
  async takeCall(tx: Tx, day: string, most: number): Promise<boolean> {
    if (most < 1) return false;
    const taken = await tx.$executeRaw`
      INSERT INTO "recall_model_day" AS d ("day", "calls") VALUES (${day}::date, 1)
        ON CONFLICT ("day") DO UPDATE SET "calls" = d."calls" + 1 WHERE d."calls" < ${most}`;
    return taken === 1;
  }

  /** Returns the days with calls, newest first. */
  days(tx: Tx, since: Date): Promise<{ day: string; calls: number }[]> {
    return tx.$queryRaw<{ day: string; calls: number }[]>`
      SELECT to_char("day", 'YYYY-MM-DD') AS "day", "calls" FROM "recall_model_day"
      WHERE "day" >= ${since.toISOString().slice(0, 10)}::date ORDER BY "day" DESC`;
  }
}
