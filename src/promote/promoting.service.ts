import { Inject, Injectable, Logger } from '@nestjs/common';
import { job } from '../journal/actor.js';
import type { Evidence } from '../memory/provenance/evidence.schema.js';
import { MemoryEvidence } from '../memory/provenance/memory-evidence.service.js';
import { MemoryGrounds } from '../memory/provenance/memory-grounds.service.js';
import { ProvenanceChanges } from '../memory/provenance/provenance-changes.service.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { RequestPriority } from '../platform/background/request-priority.js';
import { BackgroundWork } from '../platform/background/worker.js';
import { Clock } from '../platform/base/clock.js';
import { HOUR_MS, MINUTE_MS } from '../platform/base/durations.js';
import { Ids } from '../platform/base/ids.js';
import { stackOf } from '../platform/base/thrown.js';
import type { Config } from '../platform/config/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { redact } from '../untrusted/redaction/redact.js';
import { clip } from '../untrusted/text/clip.js';
import { type Asked, Corroborators, type Found } from './corroborators.service.js';
import { nextCheck } from './next-check.js';
import { PromotionRepository, type Turn } from './promotion.repository.js';
import { type Verdict, verdictOf } from './verdict.js';

const PROMOTION = job('promotion');
const TURN_MS = 10 * MINUTE_MS;
const AFTER_ERROR_MS = HOUR_MS;
const ENROLLED = 1_000;
/** How far back memories are looked for that were committed late; and after how long all of them are looked through. */
const OVERLAP_MS = 600_000;
const ALL_AGAIN_MS = HOUR_MS;
const REASON_CHARACTERS = 300;

/**
 * Moves the provenance of private memories by independent corroboration (spec R6): never by how sure a memory sounds.
 * The queue is rows; each memory is one turn, whose conclusion is fenced.
 */
@Injectable()
export class Promoting extends BackgroundWork {
  private readonly logger = new Logger(Promoting.name);
  private seenUntil = 0;
  private allSeenAt = 0;
  private minute = 0;
  /** In this minute. */
  private checked = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly priority: RequestPriority,
    private readonly repository: PromotionRepository,
    private readonly corroborators: Corroborators,
    private readonly memories: MemoryEvidence,
    private readonly grounds: MemoryGrounds,
    private readonly provenances: ProvenanceChanges,
  ) {
    super();
  }

  override wake(): void {
    if (this.config.promotionBudget > 0) super.wake();
  }

  /** One round: what is new comes into the queue, and as many as the minute's budget allows are checked, hot ones first. */
  protected async step(): Promise<boolean> {
    const { client } = this.database;
    await this.enrol();
    const now = this.clock.now();
    await this.repository.hastenUngrounded(client, now);
    const ids = await this.repository.due(client, now, this.allowance(now));
    this.checked += ids.length;
    for (const id of ids) {
      // What asked for the check is answered first, and who asks for more meanwhile.
      await this.priority.quiet();
      await this.check(id);
    }
    return false;
  }

  /** How many may still be checked in this minute: what is retrieved does not buy more. */
  private allowance(now: Date): number {
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute !== this.minute) [this.minute, this.checked] = [minute, 0];
    return Math.max(0, this.config.promotionBudget - this.checked);
  }

  /** Checks one memory if it is its turn. */
  async check(memoryId: string): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + TURN_MS);
    const turn = await this.repository.take(this.database.client, memoryId, this.ids.uuid(), now, until);
    if (!turn) return;
    try {
      await this.takeTurn(turn);
    } catch (error) {
      this.logger.error(stackOf(error));
      await this.repository.release(this.database.client, turn, new Date(now.getTime() + AFTER_ERROR_MS));
    }
  }

  private async enrol(): Promise<void> {
    const now = this.clock.now();
    const all = now.getTime() - this.allSeenAt > ALL_AGAIN_MS;
    const since = new Date(all ? 0 : this.seenUntil - OVERLAP_MS);
    const enrolled = await this.repository.enrol(this.database.client, since, now, ENROLLED);
    if (enrolled === ENROLLED) return;
    this.seenUntil = now.getTime();
    if (all) this.allSeenAt = this.seenUntil;
  }

  /** Reads and asks outside of a transaction, and concludes in one. */
  private async takeTurn(turn: Turn): Promise<void> {
    const { client } = this.database;
    const memory = await this.memories.find(client, turn.memoryId);
    if (!memory || memory.supersededAt !== null) return;
    const records = await this.corroborators.records(memory);
    const evidence = await this.memories.of(client, memory.id);
    const first = await this.judge(
      client,
      turn,
      memory,
      [...evidence, ...records.map((one) => this.asEvidence(memory, one))],
      records,
    );
    const asked: Asked = isOpen(first)
      ? await this.corroborators.opinion(memory, evidence, records)
      : { found: [], verifier: 'none' };
    await this.database.transaction((tx) => this.conclude(tx, turn, [...records, ...asked.found], records, asked));
  }

  private async conclude(
    tx: Tx,
    turn: Turn,
    found: readonly Found[],
    records: readonly Found[],
    { verifier }: Asked,
  ): Promise<void> {
    const now = this.clock.now();
    const memory = await this.memories.hold(tx, turn.memoryId);
    if (!memory) return;
    await this.add(tx, memory, found);
    const evidence = await this.memories.of(tx, memory.id);
    const judged = await this.judge(tx, turn, memory, evidence, records);
    const verdict = verifier === 'none' || verifier === 'asked' || !isOpen(judged) ? judged : missing(judged, verifier);
    const outcome = {
      ...nextCheck(verdict, turn.attempts, now),
      ...(verifier === 'asked' || verifier === 'away' ? { askedAt: now } : {}),
    };
    if (!(await this.repository.conclude(tx, turn, outcome))) return;
    await this.move(tx, memory, verdict, turn);
  }

  /** What is not known yet, or says something else than before. */
  private async add(tx: Tx, memory: MemoryEntry, found: readonly Found[]): Promise<void> {
    const known = new Map((await this.memories.of(tx, memory.id)).map((one) => [`${one.kind} ${one.source}`, one]));
    for (const one of found) {
      if (known.get(`${one.kind} ${one.source}`)?.stance === one.stance) continue;
      const reason = redact(clip(redact(one.reason).text, REASON_CHARACTERS)).text;
      await this.memories.add(tx, { ...one, id: this.ids.uuid(), memoryId: memory.id, reason, at: this.clock.now() });
    }
  }

  /** By what is so now: an approval that was taken back speaks for nothing, though it once did. */
  private async judge(
    tx: Tx,
    { promotedBy }: Turn,
    memory: MemoryEntry,
    evidence: readonly Evidence[],
    records: readonly Found[],
  ): Promise<Verdict> {
    const approvals = new Set(records.flatMap(({ kind, source }) => (kind === 'primary_source' ? [source] : [])));
    const standing = evidence.filter(({ kind, source }) => kind !== 'primary_source' || approvals.has(source));
    const spoken = standing.some(({ kind }) => kind === 'person');
    // Verified before anybody kept evidence: that was a person's word, too.
    const byNobody = promotedBy === null || promotedBy === 'person';
    const before = memory.provenance === 'verified' && byNobody && !spoken ? [wordOfBefore(memory)] : [];
    const owner = memory.agentId ? await this.repository.ownerOf(tx, memory.agentId) : null;
    return verdictOf(
      {
        agentId: memory.agentId,
        owner,
        evidence: [...before, ...standing],
        grounds: await this.grounds.under(tx, memory.id),
      },
      {
        executions: this.config.promotionExecutions,
        otherAgents: this.config.promotionOtherAgents,
        owners: this.config.minOwnersForPattern,
      },
    );
  }

  /** The default is "unverified"; what was written while the verifier was away stays so until it was asked. */
  private async move(tx: Tx, memory: MemoryEntry, verdict: Verdict, { trigger }: Turn): Promise<void> {
    const evidence = verdict.evidence;
    if (verdict.verified) {
      const source = verdict.by === 'person' ? 'reviewer' : verdict.by;
      const reason = `corroborated by ${verdict.by} (${trigger})`;
      await this.provenances.change(tx, PROMOTION, memory, { event: 'promote', source, reason, evidence });
      return;
    }
    if (memory.provenance === 'unverified' || (memory.provenance !== 'verified' && WAITS.has(verdict.because))) return;
    const reason = `${verdict.because} (${trigger})`;
    await this.provenances.change(tx, PROMOTION, memory, { event: 'demote', source: 'promotion', reason, evidence });
  }

  private asEvidence(memory: MemoryEntry, found: Found): Evidence {
    return { ...found, id: memory.id, memoryId: memory.id, at: this.clock.now().toISOString() };
  }
}

/** The second model has still not looked at it. */
const WAITS: ReadonlySet<string> = new Set(['verifier_away', 'verifier_over_budget', 'rests_on_unverified']);

/** Nothing above a second model has decided, so that its word could. */
const isOpen = (verdict: Verdict): boolean =>
  !verdict.verified && (verdict.because === 'no_evidence' || verdict.because === 'not_enough_evidence');

const missing = ({ evidence }: Verdict, verifier: 'away' | 'over_budget'): Verdict => ({
  verified: false,
  because: verifier === 'away' ? 'verifier_away' : 'verifier_over_budget',
  evidence,
});

const wordOfBefore = ({ id }: MemoryEntry): Evidence => ({
  id,
  memoryId: id,
  kind: 'person',
  stance: 'supports',
  source: 'before evidence was kept',
  whole: true,
  agentId: null,
  owner: null,
  reason: 'verified before evidence was kept',
  at: new Date(0).toISOString(),
});
