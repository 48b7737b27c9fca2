import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { patternKey } from '../observations/fingerprint.js';
import {
  ExecutionTallyRepository,
  type FailureTally,
  type ModelTally,
  type PartTally,
  type Stretch,
} from './execution-tally.repository.js';

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

  /** The same by agent and part of a stretch of time. */
  over(fingerprints: readonly string[], stretch: Stretch): Promise<PartTally[]> {
    return this.tallies.over(this.database.client, fingerprints.map(patternKey), stretch);
  }

  /** The execution in which one of the patterns was met first, between these times of its start; its id. */
  first(fingerprints: readonly string[], from: Date, until: Date): Promise<string | undefined> {
    return this.tallies.first(this.database.client, fingerprints.map(patternKey), from, until);
  }

  models(from: Date): Promise<ModelTally[]> {
    return this.tallies.models(this.database.client, from);
  }
}
