import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { findWithoutWords, storeMissingWords } from '../proposals/proposal-words.repository.js';

/** Proposals indexed in one transaction; between two the process can answer requests. */
const BATCH_SIZE = 50;

/**
 * Indexes proposals that have no words, or words of an earlier version of the rules. New revisions store their words
 * themselves.
 */
@Injectable()
export class ProposalWordIndexer {
  private isComplete = false;

  constructor(private readonly database: Database) {}

  /** Indexes all missing proposals, once in each process. Returns their number. */
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
      // A proposal that was revised meanwhile already has its words.
      this.isComplete = proposals.length < BATCH_SIZE || done === 0;
    }
    return kept;
  }
}
