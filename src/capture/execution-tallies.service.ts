import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database.js';
import { ExecutionTallyRepository, type FailureTally, type ModelTally } from './execution-tally.repository.js';
import { patternKey } from './fingerprint.js';

/** What the executions add up to, for whoever asks whether a skill helps. */
@Injectable()
export class ExecutionTallies {
  constructor(
    private readonly database: Database,
    private readonly tallies: ExecutionTallyRepository,
  ) {}

  /** Failed is an execution in which one of the patterns occurred, however often. */
  failures(fingerprints: readonly string[], from: Date, until: Date | null): Promise<FailureTally[]> {
    return this.tallies.failures(this.database.client, fingerprints.map(patternKey), from, until);
  }

  models(from: Date): Promise<ModelTally[]> {
    return this.tallies.models(this.database.client, from);
  }
}
