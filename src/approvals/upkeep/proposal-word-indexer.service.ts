import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { findWithoutWords, storeMissingWords } from '../proposals/proposal-words.repository.js';

/** Written between two answers of the server. */
const BATCH_SIZE = 50;

/** Items are found by words that are kept with each revision; those of an earlier version of the program have none yet. */
@Injectable()
export class ProposalWordIndexer {
  private isComplete = false;

  constructor(private readonly database: Database) {}

  /** Once in each process: what is missing, or was taken out by other rules. Returns how many. */
  async indexMissing(): Promise<number> {
    let kept = 0;
    while (!this.isComplete) {
      const proposals = await findWithoutWords(this.database.client, BATCH_SIZE);
      const done = await this.database.transaction(async (tx) => {
        let count = 0;
        for (const proposal of proposals) if (await storeMissingWords(tx, proposal)) count += 1;
        return count;
      });
      kept += done;
      // What was revised meanwhile has its words by that.
      this.isComplete = proposals.length < BATCH_SIZE || done === 0;
    }
    return kept;
  }
}
