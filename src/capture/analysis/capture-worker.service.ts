import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Lessons } from '../../memory/lessons/lessons.service.js';
import type { SessionExecution } from '../../memory/lessons/witness.js';
import { FIRST_TURN } from '../../platform/background/next-in-turn.js';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { defineWorker, type Wakeable } from '../../platform/background/worker.js';
import { Yielder } from '../../platform/background/yielder.js';
import { Clock } from '../../platform/base/clock.js';
import { SECOND_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { episodeFingerprints, patternKey } from '../observations/fingerprint.js';
import { type CallOutcomes, countedCalls } from '../report/call-lineage.js';
import { hasFailed } from '../report/outcome.js';
import { ExecutionRepository, PENDING_EXECUTIONS, type StoredReport } from '../store/execution.repository.js';
import { LineageRepository } from '../store/lineage.repository.js';
import { ObservationRepository } from '../store/observation.repository.js';
import { Observer } from '../store/observer.service.js';
import type { ObservedForStorage, StoredObservations } from '../store/stored-observations.js';
import { type CaptureStrategy, captureStrategy } from './capture.strategy.js';
import { analysisPayload } from './payload.js';
import { type NewPayload, PayloadRepository, PENDING_PAYLOADS } from './payload.repository.js';

const BATCH = 20;
const CAPTURE_JOB = jobActor('capture');

interface ObservedExecution extends ObservedForStorage {
  readonly execution: StoredReport;
}

/** What capture found in an execution. `reason`: why it was skipped; null if it was captured. */
interface CaptureResult {
  readonly executionId: string;
  readonly agentId: string;
  readonly sessionId: string | null;
  readonly body: Sanitized<StoredObservations>;
  readonly patterns: readonly string[];
  readonly reason: string | null;
  readonly copied: readonly number[];
  readonly callKeys: readonly string[] | undefined;
  readonly outcomes: CallOutcomes | undefined;
  readonly payload?: NewPayload;
}

/**
 * Captures pending executions: stores their observations and queues an analysis payload for each learnable one. Its
 * queue is the execution rows, so it survives a restart.
 */
@Injectable()
export class CaptureWorker extends defineWorker({
  every: 5 * SECOND_MS,
  queues: { capture: PENDING_EXECUTIONS, proposer: PENDING_PAYLOADS },
}) {
  private readonly strategy: CaptureStrategy;
  private readonly followers: Wakeable[] = [];
  /** The agent whose turn was the last. */
  private last = FIRST_TURN;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly executions: ExecutionRepository,
    private readonly payloads: PayloadRepository,
    private readonly observations: ObservationRepository,
    private readonly observer: Observer,
    private readonly lineage: LineageRepository,
    private readonly priority: RequestPriority,
    private readonly lessons: Lessons,
  ) {
    super();
    const [minScore, percentile] = config.successQuality;
    this.strategy = captureStrategy(config.captureStrategy, { minScore, percentile });
  }

  /**
   * Wakes these workers after each batch. src/wake-up-wiring.ts connects them, because this folder may not import
   * theirs.
   */
  wakeAfterBatch(...work: Wakeable[]): void {
    this.followers.push(...work);
  }

  protected async step(): Promise<boolean> {
    await this.priority.waitForRequests(this);
    const { executions, mayWait, last } = await this.executions.findPending(this.database.client, BATCH, this.last);
    this.last = last;
    if (executions.length === 0) return false;
    // Before the transaction, which would otherwise stay open for as long as the costly ones take.
    const observed: ObservedExecution[] = [];
    // Observing an execution takes milliseconds: yield to requests in between.
    const yielder = new Yielder();
    for (const execution of executions) {
      await yielder.yieldIfDue();
      observed.push({ execution, ...(await this.observe(execution)) });
    }
    const { taken, again } = await this.database.transaction((tx) => this.store(tx, observed));
    if (taken > 0) for (const work of this.followers) work.wake();
    // Without one taken, another process has them.
    return taken > 0 && (mayWait || again > 0);
  }

  private observe({ id, agentId, agentName, owner, origin, finishedAt, report }: StoredReport) {
    const identity = { id, agentId, agentName, owner, origin, rootExecutionKey: id };
    return this.observer.observe({ ...identity, report, finishedAt });
  }

  /** Stores what was observed of the executions that no other process captures. `again`: those that this changed. */
  private async store(tx: Tx, observed: readonly ObservedExecution[]): Promise<{ taken: number; again: number }> {
    await this.lineage.lock(tx);
    const locked = await this.executions.lockPending(
      tx,
      observed.map(({ execution }) => execution.id),
    );
    const results: CaptureResult[] = [];
    const yielder = new Yielder();
    for (const one of observed) {
      if (!locked.has(one.execution.id)) continue;
      await yielder.yieldIfDue();
      results.push(await this.capture(tx, one));
    }
    await this.executions.setCaptured(tx, results, this.clock.now());
    await this.observations.upsert(tx, results);
    await this.payloads.withdraw(tx, [...locked]);
    await this.payloads.create(
      tx,
      results.flatMap(({ payload }) => payload ?? []),
    );
    const again = await this.lineage.recapture(tx, [...locked], this.clock.now());
    await this.payloads.withdraw(tx, again);
    const taken = observed.filter(({ execution }) => locked.has(execution.id));
    await this.lessons.closeUnresolved(
      tx,
      CAPTURE_JOB,
      taken.flatMap(({ execution }) => succeededSession(execution)),
    );
    return { taken: results.length, again: again.length };
  }

  private async capture(tx: Tx, { execution, body, obstacles }: ObservedExecution): Promise<CaptureResult> {
    const { id, agentId, agentName, owner, origin, copied, report } = execution;
    const observations = { ...body, executionId: id, agentName, support: { agentId, owner, origin, root: id } };
    // Also for executions that are skipped: the effect of a skill is counted over all executions.
    const fingerprints = body.episodes.flatMap((episode) => episodeFingerprints(episode, body.project));
    const patterns = [...new Set(fingerprints.map(patternKey))];
    const { callKeys, sessionId = null } = report;
    const counted = { copied, callKeys, outcomes: body.outcomes };
    const observed = { executionId: id, agentId, sessionId, body, patterns, ...counted };
    if (copied.length > 0 && countedCalls(report.toolCalls).length === 0)
      return { ...observed, reason: 'copy of another session' };
    if (!this.config.proposerEnabled) return { ...observed, reason: 'the proposer is off' };
    const recentQuality =
      report.qualityScore === undefined ? [] : await this.executions.findRecentQualityScores(tx, agentId);
    const decision = this.strategy.decide({ report, observations, obstacles, recentQuality });
    if (!decision.learnable) return { ...observed, reason: decision.reason };
    const payload = redactDeep(analysisPayload(decision.kind, report, body, obstacles)).value;
    const row = { id: this.ids.uuid(), executionId: id, agentId, body: payload, createdAt: this.clock.now() };
    return { ...observed, reason: null, payload: row };
  }
}

/** The session of an execution that succeeded: it closes earlier lessons of the session that nothing helped. */
function succeededSession({ id, agentId, report }: StoredReport): SessionExecution[] {
  const { sessionId } = report;
  return sessionId !== undefined && !hasFailed(report) ? [{ agentId, sessionId, executionId: id }] : [];
}
