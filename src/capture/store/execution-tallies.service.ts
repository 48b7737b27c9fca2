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

/** Counts of executions and failures, for the measurement of a skill's effect. */
@Injectable()
export class ExecutionTallies {
  constructor(
    private readonly database: Database,
    private readonly tallies: ExecutionTallyRepository,
  ) {}

  /**
   * Executions and failures by agent. An execution counts as failed if one of the patterns occurred in it, however
   * often.
   */
  countFailures(fingerprints: readonly string[], from: Date, until: Date | null): Promise<FailureTally[]> {
    return this.tallies.countFailures(this.database.client, fingerprints.map(patternKey), from, until);
  }

  /** Executions and failures by agent and part of the period. */
  countFailuresByPart(fingerprints: readonly string[], stretch: DividedPeriod): Promise<PeriodPartTally[]> {
    return this.tallies.countFailuresByPart(this.database.client, fingerprints.map(patternKey), stretch);
  }

  /** The id of the first execution in which one of the patterns occurred, among those that started in [from, until]. */
  findFirst(fingerprints: readonly string[], from: Date, until: Date): Promise<string | undefined> {
    return this.tallies.findFirst(this.database.client, fingerprints.map(patternKey), from, until);
  }

  countModels(from: Date): Promise<ModelTally[]> {
    return this.tallies.countModels(this.database.client, from);
  }
}
