import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { keepWordsOf, wordless } from '../proposals/item-words.repository.js';

/** Written between two answers of the server. */
const TOGETHER = 50;

/** Items are found by words that are kept with each revision; those of an earlier version of the program have none yet. */
@Injectable()
export class ItemWords {
  private isComplete = false;

  constructor(private readonly database: Database) {}

  /** Once in each process: what is missing, or was taken out by other rules. Returns how many. */
  async complete(): Promise<number> {
    let kept = 0;
    while (!this.isComplete) {
      const items = await wordless(this.database.client, TOGETHER);
      const done = await this.database.transaction(async (tx) => {
        let count = 0;
        for (const item of items) if (await keepWordsOf(tx, item)) count += 1;
        return count;
      });
      kept += done;
      // What was revised meanwhile has its words by that.
      this.isComplete = items.length < TOGETHER || done === 0;
    }
    return kept;
  }
}
