import { Injectable } from '@nestjs/common';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { FailureWitnesses } from './witness.js';
import { WitnessRepository } from './witness.repository.js';

/** More keys than a family of failures has templates. */
const MOST_KEYS = 1_000;

/** Private lessons as witnesses of a family of failures: how many agents hold one, and nothing of what it says. */
@Injectable()
export class WitnessCounts {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly witnesses: WitnessRepository,
  ) {}

  /**
   * Counts the agents with a live lesson about one of these failures (`episodeFingerprint`
   * without a kind of project), and those whose lesson names a form of the remedy
   * (`actionFingerprint`). Without `remedyKeys`, `withRemedy` is 0.
   */
  async of(failureFingerprints: readonly string[], remedyKeys: readonly string[] = []): Promise<FailureWitnesses> {
    if (failureFingerprints.length === 0) return { agents: 0, withRemedy: 0 };
    const failures = failureFingerprints.slice(0, MOST_KEYS);
    return this.witnesses.countAgents(this.database.client, failures, remedyKeys.slice(0, MOST_KEYS));
  }
}
