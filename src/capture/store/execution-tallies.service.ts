import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { patternKey } from '../observations/fingerprint.js';
import {
  type DividedPeriod,
  ExecutionTallyRepository,
  type FailureTally,
  type ModelTally,
  type PeriodPartTally,
} from './execution-tally.repository.js';

/** What the executions add up to, for whoever asks whether a skill helps. */
@Injectable()
export class ExecutionTallies {
  constructor(
    private readonly database: Database,
    private readonly tallies: ExecutionTallyRepository,
  ) {}

  /** Failed is an execution in which one of the patterns occurred, however often. */
  countFailures(fingerprints: readonly string[], from: Date, until: Date | null): Promise<FailureTally[]> {
    return this.tallies.countFailures(this.database.client, fingerprints.map(patternKey), from, until);
  }

  /** The same by agent and part of a stretch of time. */
  countFailuresByPart(fingerprints: readonly string[], stretch: DividedPeriod): Promise<PeriodPartTally[]> {
    return this.tallies.countFailuresByPart(this.database.client, fingerprints.map(patternKey), stretch);
  }

  /** The execution in which one of the patterns was met first, between these times of its start; its id. */
  findFirst(fingerprints: readonly string[], from: Date, until: Date): Promise<string | undefined> {
    return this.tallies.findFirst(this.database.client, fingerprints.map(patternKey), from, until);
  }

  countModels(from: Date): Promise<ModelTally[]> {
    return this.tallies.countModels(this.database.client, from);
  }
}
