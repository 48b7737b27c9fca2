import { Inject, Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../journal/actor.js';
import type { ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import { MemoryDerivations } from '../memory/provenance/memory-derivations.service.js';
import { MemoryEvidence } from '../memory/provenance/memory-evidence.service.js';
import { ProvenanceChanges } from '../memory/provenance/provenance-changes.service.js';
import type { Lesson } from '../memory/store/lesson.schema.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { RequestPriority } from '../platform/background/request-priority.js';
import { defineWorker } from '../platform/background/worker.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/base/durations.js';
import { stackOf } from '../platform/base/error-text.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { redact } from '../untrusted/redaction/redact.js';
import { clip } from '../untrusted/text/clip.js';
import { suspicions } from '../untrusted/text/suspicions.js';
import { EvidenceCollector, type FoundEvidence, type VerifierResult } from './evidence-collector.service.js';
import { type CheckLease, DUE_CHECKS, PromotionRepository } from './promotion.repository.js';
import type { PromotionState } from './promotion.schema.js';
import { evaluateEvidence, type PromotionVerdict, type Witness } from './verdict.js';

const PROMOTION = jobActor('promotion');
const CHECK_LEASE_MS = 10 * MINUTE_MS;
const AFTER_ERROR_MS = HOUR_MS;
const ENROL_LIMIT = 1_000;
/**
 * A scan goes back this far, because a transaction may commit after a later one. After FULL_SCAN_AFTER_MS all memories
 * are scanned again.
 */
const OVERLAP_MS = 600_000;
const FULL_SCAN_AFTER_MS = HOUR_MS;
const REASON_CHARACTERS = 300;

/**
 * Moves the provenance of private memories by independent corroboration, never by the confidence that a memory claims.
 * The queue consists of rows. Each check holds a lease, whose token fences its conclusion.
 */
@Injectable()
export class PromotionWorker extends defineWorker({ every: MINUTE_MS, queues: { promotion: DUE_CHECKS } }) {
  private readonly logger = new Logger(PromotionWorker.name);
  private scannedUntil = 0;
  private fullScanAt = 0;
  private minute = 0;
  /** The number of checks in this minute. */
  private checked = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly priority: RequestPriority,
    private readonly repository: PromotionRepository,
    private readonly evidenceCollector: EvidenceCollector,
    private readonly memories: MemoryEvidence,
    private readonly grounds: MemoryDerivations,
    private readonly provenanceChanges: ProvenanceChanges,
  ) {
    super();
  }

  override wake(): void {
    if (this.config.promotionBudget > 0) super.wake();
  }

  /**
   * One round: adds new memories to the queue, makes those due about which evidence arrived, then checks as many as the
   * budget of the minute allows, the most retrieved first.
   */
  protected async step(): Promise<boolean> {
    const { client } = this.database;
    await this.enrol();
    const now = this.clock.now();
    await this.repository.scheduleUngrounded(client, now);
    await this.repository.scheduleNewEvidence(client, new Date(now.getTime() - OVERLAP_MS), now);
    const ids = await this.repository.due(client, now, this.allowance(now));
    this.checked += ids.length;
    for (const id of ids) {
      // Answer the request that caused the check, and all concurrent requests, first.
      await this.priority.waitForRequests(this);
      await this.check(id);
    }
    return false;
  }

  /** Returns how many checks are left in this minute. Retrievals do not raise the budget. */
  private allowance(now: Date): number {
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute !== this.minute) [this.minute, this.checked] = [minute, 0];
    return Math.max(0, this.config.promotionBudget - this.checked);
  }

  /** Checks one memory if it is due. */
  async check(memoryId: string): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + CHECK_LEASE_MS);
    const lease = await this.repository.takeLease(this.database.client, memoryId, this.ids.uuid(), now, until);
    if (!lease) return;
    try {
      await this.runCheck(lease);
    } catch (error) {
      this.logger.error(stackOf(error));
      await this.repository.release(this.database.client, lease, new Date(now.getTime() + AFTER_ERROR_MS));
    }
  }

  private async enrol(): Promise<void> {
    const now = this.clock.now();
    const all = now.getTime() - this.fullScanAt > FULL_SCAN_AFTER_MS;
    const since = new Date(all ? 0 : this.scannedUntil - OVERLAP_MS);
    const enrolled = await this.repository.enrol(this.database.client, since, now, ENROL_LIMIT);
    if (enrolled === ENROL_LIMIT) return;
    this.scannedUntil = now.getTime();
    if (all) this.fullScanAt = this.scannedUntil;
  }

  /** Reads evidence and asks the verifier outside of a transaction, and stores the conclusion in one. */
  private async runCheck(lease: CheckLease): Promise<void> {
    const { client } = this.database;
    const memory = await this.memories.find(client, lease.memoryId);
    if (!memory || memory.supersededAt !== null) return;
    const records = await this.evidenceCollector.recordedEvidence(await this.originalOf(client, memory));
    const evidence = await this.evidenceOn(client, memory);
    const first = await this.evaluate(
      client,
      memory,
      [...evidence, ...records.map((one) => this.toEvidence(memory, one))],
      records,
    );
    const verifierResult: VerifierResult = isUndecided(first)
      ? await this.evidenceCollector.askVerifier(memory, evidence, records)
      : { found: [], verifier: 'none' };
    await this.database.transaction((tx) =>
      this.conclude(tx, lease, [...records, ...verifierResult.found], records, verifierResult),
    );
  }

  private async conclude(
    tx: Tx,
    lease: CheckLease,
    found: readonly FoundEvidence[],
    records: readonly FoundEvidence[],
    { verifier }: VerifierResult,
  ): Promise<void> {
    const now = this.clock.now();
    const memory = await this.memories.lockLive(tx, lease.memoryId);
    if (!memory) return;
    await this.storeEvidence(tx, memory, found);
    const evidence = await this.evidenceOn(tx, memory);
    const evaluated = await this.evaluate(tx, memory, evidence, records);
    const verdict =
      verifier === 'none' || verifier === 'asked' || !isUndecided(evaluated)
        ? evaluated
        : unresolvedByVerifier(evaluated, verifier);
    const outcome = {
      ...nextCheck(verdict, lease.attempts, now),
      ...(verifier === 'asked' || verifier === 'unavailable' ? { askedAt: now } : {}),
    };
    if (!(await this.repository.conclude(tx, lease, outcome))) return;
    await this.applyVerdict(tx, memory, verdict, lease);
  }

  /** Stores evidence that is new or whose stance has changed. */
  private async storeEvidence(tx: Tx, memory: MemoryEntry, found: readonly FoundEvidence[]): Promise<void> {
    const known = new Map((await this.memories.list(tx, memory.id)).map((one) => [`${one.kind} ${one.source}`, one]));
    for (const one of found) {
      if (known.get(`${one.kind} ${one.source}`)?.stance === one.stance) continue;
      const reason = redact(clip(redact(one.reason).text, REASON_CHARACTERS)).text;
      await this.memories.add(tx, { ...one, id: this.ids.uuid(), memoryId: memory.id, reason, at: this.clock.now() });
    }
  }

  /** A copy is worth what its original is worth, and was learned where its original was learned. */
  private async originalOf(tx: Tx, memory: MemoryEntry): Promise<MemoryEntry> {
    const { propagatedFromId } = memory;
    return (propagatedFromId === null ? undefined : await this.memories.find(tx, propagatedFromId)) ?? memory;
  }

  /** The evidence on the memory, and for a copy that on its original first. */
  private async evidenceOn(tx: Tx, { id, propagatedFromId }: MemoryEntry): Promise<ProvenanceEvidence[]> {
    const original = propagatedFromId === null ? [] : await this.memories.list(tx, propagatedFromId);
    return [...original, ...(await this.memories.list(tx, id))];
  }

  /** Uses only evidence that still holds: a retired approval no longer supports a memory. */
  private async evaluate(
    tx: Tx,
    memory: MemoryEntry,
    evidence: readonly ProvenanceEvidence[],
    records: readonly FoundEvidence[],
  ): Promise<PromotionVerdict> {
    const approvals = new Set(records.flatMap(({ kind, source }) => (kind === 'primary_source' ? [source] : [])));
    const current = evidence.filter(({ kind, source }) => kind !== 'primary_source' || approvals.has(source));
    const { agentId, sourceExecutionId: taught } = await this.originalOf(tx, memory);
    const taughtBy = taught && agentId ? await this.repository.taughtBy(tx, taught, agentId) : undefined;
    const keys = await this.repository.ownerKeys(
      tx,
      [...current, ...(taughtBy ? [taughtBy] : [])].flatMap(({ owner }) => owner ?? []),
    );
    const identified = <W extends Witness>(witness: W): W => ({
      ...witness,
      owner: keys.get(witness.owner ?? '') ?? witness.owner,
    });
    return evaluateEvidence(
      {
        agentId,
        taughtBy: taughtBy && identified(taughtBy),
        needsPerson: readsLikeInstruction(memory.lesson),
        evidence: current.map(identified),
        grounds: await this.grounds.sourcesOf(tx, memory.id),
      },
      {
        executions: this.config.promotionExecutions,
        otherAgents: this.config.promotionOtherAgents,
        // The threshold of patterns may ask for more owners, never for fewer.
        owners: Math.max(this.config.promotionOwners, this.config.minOwnersForPattern),
        credentials: this.config.promotionCredentials,
      },
    );
  }

  /**
   * The default is "unverified". A memory that was written while the verifier was unavailable keeps that state until
   * the verifier was asked.
   */
  private async applyVerdict(
    tx: Tx,
    memory: MemoryEntry,
    verdict: PromotionVerdict,
    { trigger }: CheckLease,
  ): Promise<void> {
    const evidence = verdict.evidence;
    if (verdict.verified) {
      const source = verdict.by === 'person' ? 'reviewer' : verdict.by;
      const reason = `corroborated by ${verdict.by} (${trigger})`;
      await this.provenanceChanges.changeWithCopies(tx, PROMOTION, memory, {
        event: 'promote',
        source,
        reason,
        evidence,
      });
      return;
    }
    if (
      memory.provenance === 'unverified' ||
      (memory.provenance !== 'verified' && KEEPS_PROVENANCE.has(verdict.because))
    )
      return;
    const reason = `${verdict.because} (${trigger})`;
    await this.provenanceChanges.changeWithCopies(tx, PROMOTION, memory, {
      event: 'demote',
      source: 'promotion',
      reason,
      evidence,
    });
  }

  private toEvidence(memory: MemoryEntry, found: FoundEvidence): ProvenanceEvidence {
    return { ...found, id: memory.id, memoryId: memory.id, at: this.clock.now().toISOString() };
  }
}

/** Reasons with which the verifier has not judged the memory yet. */
const KEEPS_PROVENANCE: ReadonlySet<string> = new Set([
  'verifier_unavailable',
  'verifier_over_budget',
  'derived_from_unverified',
]);

const UNDECIDED: ReadonlySet<string> = new Set(['no_evidence', 'not_enough_evidence', 'not_independent']);

/** Evidence above the verifier has not decided, so that the verifier may. */
const isUndecided = (verdict: PromotionVerdict): boolean => !verdict.verified && UNDECIDED.has(verdict.because);

const unresolvedByVerifier = (
  { evidence }: PromotionVerdict,
  verifier: 'unavailable' | 'over_budget',
): PromotionVerdict => ({
  verified: false,
  because: verifier === 'unavailable' ? 'verifier_unavailable' : 'verifier_over_budget',
  evidence,
});

/**
 * Returns whether a memory addresses its reader with an instruction, or turns a protection off. Evidence shows that
 * something worked, not that it should be done, so only a person verifies such a memory. A link alone asks for nothing.
 */
export function readsLikeInstruction({ discovery, activation, steps, tags }: Lesson): boolean {
  const { condition, action, rationale } = activation;
  const text = [discovery, condition, action, rationale, ...steps, ...tags].join('\n');
  return suspicions(text).some(({ kind }) => kind !== 'link');
}

interface NextCheck {
  readonly state: PromotionState;
  readonly because: string;
  readonly promotedBy: string | null;
  readonly attempts: number;
  readonly checkedAt: Date;
  readonly dueAt: Date;
}

/**
 * Returns the queue row after a verdict. No memory leaves the queue. A verified memory is checked again, since stronger
 * evidence may contradict it later. Any other one is retried after one, two, four … hours, or after minutes while the
 * verifier is unavailable. `attempts`: earlier checks in a row that resolved nothing.
 */
export function nextCheck(verdict: PromotionVerdict, attempts: number, now: Date): NextCheck {
  const after = (delay: number) => ({ checkedAt: now, dueAt: new Date(now.getTime() + delay) });
  if (verdict.verified) {
    const delay = verdict.by === 'person' ? DAY_MS : 6 * HOUR_MS;
    return { state: 'verified', because: verdict.by, promotedBy: verdict.by, attempts: 0, ...after(delay) };
  }
  const { because } = verdict;
  const first = because === 'verifier_unavailable' ? 5 * MINUTE_MS : HOUR_MS;
  const delay = Math.min(
    first * 2 ** Math.min(attempts, 10),
    because === 'verifier_unavailable' ? 6 * HOUR_MS : DAY_MS,
  );
  return { state: 'unresolved', because, promotedBy: null, attempts: attempts + 1, ...after(delay) };
}
