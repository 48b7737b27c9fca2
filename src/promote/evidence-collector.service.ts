import { Inject, Injectable } from '@nestjs/common';
import type { ToolCall } from '../capture/report/execution-report.schema.js';
import { ExecutionReader } from '../capture/store/execution-reader.service.js';
import {
  type EvidenceStance,
  FROM_NO_EXECUTION,
  type ProvenanceEvidence,
} from '../memory/provenance/evidence.schema.js';
import { VerifierAvailability } from '../memory/provenance/verifier-availability.service.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { ThreadPool, threadTask } from '../platform/background/thread-pool.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS } from '../platform/base/durations.js';
import { textLength } from '../platform/base/text-length.js';
import type { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { VerifierModel } from '../propose/questions/verifier-model.service.js';
import claimsThread from './claims.thread.js';
import { PromotionRepository } from './promotion.repository.js';
import { type LessonClaims, type RemedyClaim, stanceFrom } from './remedy-claim.js';

/** Only this many of the newest executions with the failure are read. */
const MAX_EXECUTIONS = 200;
const CLAIMS = threadTask(claimsThread, './claims.thread', import.meta.url);
const LIMIT_MS = 30_000;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 900_000;

export type FoundEvidence = Pick<
  ProvenanceEvidence,
  'kind' | 'stance' | 'source' | 'whole' | 'executionId' | 'agentId' | 'owner' | 'reporterId' | 'reason'
> & {
  readonly kind: Exclude<ProvenanceEvidence['kind'], 'person'>;
};

export interface VerifierResult {
  readonly found: readonly FoundEvidence[];
  /** `none`: no verifier model may be asked about this memory, or it was asked before. */
  readonly verifier: 'asked' | 'unavailable' | 'over_budget' | 'none';
}

/** Collects evidence for or against a memory from sources other than the memory itself. */
@Injectable()
export class EvidenceCollector {
  private consecutiveFailures = 0;
  private backoffUntil = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly window: ExecutionReader,
    private readonly verifierModel: VerifierModel,
    private readonly availability: VerifierAvailability,
    private readonly repository: PromotionRepository,
    private readonly threads: ThreadPool,
  ) {}

  /** Returns what tools did in later executions, and which skills people approved since for the same failure. */
  async recordedEvidence(memory: MemoryEntry): Promise<FoundEvidence[]> {
    const source = memory.sourceExecutionId;
    if (source === null) return [];
    for await (const { report } of this.window.readReported([source])) {
      const { claims, whole } = await this.claimsOf(memory, report.toolCalls);
      if (claims.length === 0) return [];
      return [...(await this.approvedSkills(claims, whole)), ...(await this.toolResults(claims, whole, source))];
    }
    return [];
  }

  /** A report of many failures takes seconds, so that it is read in a thread. */
  private claimsOf({ lesson, proposer }: MemoryEntry, calls: readonly ToolCall[]): Promise<LessonClaims> {
    const run = { key: EvidenceCollector.name, size: textLength(calls), limitMs: LIMIT_MS };
    return this.threads.run(CLAIMS, { lesson, proposer, calls }, run);
  }

  /** Returns the skills that a person approved against the same failure, with the same remedy. */
  private async approvedSkills(claims: readonly RemedyClaim[], whole: boolean): Promise<FoundEvidence[]> {
    const remedies = await Promise.all(
      claims.map(async ({ fingerprint, actions }) =>
        (await this.repository.approvedRemedies(this.database.client, fingerprint)).filter(({ action }) =>
          actions.includes(action),
        ),
      ),
    );
    if (remedies.some((of) => of.length === 0)) return [];
    return [...new Set(remedies.flat().map(({ proposalId }) => proposalId))].map((proposalId) => ({
      kind: 'primary_source',
      stance: 'supports',
      source: proposalId,
      whole,
      ...FROM_NO_EXECUTION,
      reason: 'a person approved a skill with the same remedy for the same failure',
    }));
  }

  /** One result for each root execution: sub-agents are not independent witnesses, and the worst result counts. */
  private async toolResults(claims: readonly RemedyClaim[], whole: boolean, source: string): Promise<FoundEvidence[]> {
    const keys = claims.map(({ patternKey }) => patternKey);
    const byRoot = new Map<string, FoundEvidence>();
    for await (const { session, observed } of this.window.readLaterOccurrences(keys, source, MAX_EXECUTIONS)) {
      const stance = stanceFrom(claims, observed);
      if (stance === undefined) continue;
      const { root, agentId } = observed.support;
      const executionId = observed.executionId;
      const known = byRoot.get(root);
      if (known && STANCE_RANK[known.stance] >= STANCE_RANK[stance]) continue;
      const reason = STANCE_TEXT[stance];
      byRoot.set(root, {
        kind: 'tool_result',
        stance,
        source: known?.source ?? session,
        whole,
        ...FROM_NO_EXECUTION,
        executionId,
        agentId,
        reason,
      });
    }
    return this.withWitnesses([...byRoot.values()]);
  }

  /** Adds who reported each execution, as recorded with it. */
  private async withWitnesses(found: readonly FoundEvidence[]): Promise<FoundEvidence[]> {
    const ids = found.flatMap(({ executionId }) => executionId ?? []);
    const witnesses = await this.repository.witnesses(this.database.client, ids);
    return found.map((one) => ({ ...one, ...witnesses.get(one.executionId ?? '') }));
  }

  /** Asks the verifier model, if it is independent of the memory's author and has not judged this memory yet. */
  async askVerifier(
    memory: MemoryEntry,
    evidence: readonly ProvenanceEvidence[],
    collected: readonly FoundEvidence[],
  ): Promise<VerifierResult> {
    const { model } = this.verifierModel;
    const known = evidence.some(({ kind, source }) => kind === 'second_model' && source === model);
    if (model === undefined || known) return { found: [], verifier: 'none' };
    const models = memory.agentId ? await this.repository.modelsOf(this.database.client, memory.agentId) : [];
    // Rules run on no model, so the agent's own model has not contributed to the memory.
    const authorModels = memory.proposer.startsWith('rules/') ? [] : models;
    if (!this.verifierModel.isIndependentOf(memory.proposer, authorModels)) return { found: [], verifier: 'none' };
    const now = this.clock.now();
    if (now.getTime() < this.backoffUntil) return { found: [], verifier: 'unavailable' };
    const since = new Date(now.getTime() - DAY_MS);
    if ((await this.repository.verifierCalls(this.database.client, since)) >= this.config.verifierDayCalls)
      return { found: [], verifier: 'over_budget' };
    const opinion = await this.verifierModel.ask(fieldsOf(memory, collected));
    this.recordAvailability(opinion.outcome === 'unavailable');
    if (opinion.outcome === 'unavailable') return { found: [], verifier: 'unavailable' };
    const stance: EvidenceStance =
      opinion.outcome === 'none' || opinion.verdict === 'cannot_tell' ? 'unsure' : opinion.verdict;
    const common = { kind: 'second_model', source: model, whole: true, ...FROM_NO_EXECUTION } as const;
    return { found: [{ ...common, stance, reason: opinion.reason }], verifier: 'asked' };
  }

  /**
   * Backs off after each failure, twice as long each time. Memories written meanwhile record that the verifier was
   * unavailable.
   */
  private recordAvailability(isUnavailable: boolean): void {
    this.availability.setUnavailable(isUnavailable);
    this.consecutiveFailures = isUnavailable ? this.consecutiveFailures + 1 : 0;
    const rest = Math.min(FIRST_BACKOFF_MS * 2 ** (this.consecutiveFailures - 1), MAX_BACKOFF_MS);
    this.backoffUntil = isUnavailable ? this.clock.now().getTime() + rest : 0;
  }
}

const STANCE_RANK: Readonly<Record<EvidenceStance, number>> = { supports: 0, unsure: 1, contradicts: 2 };
const STANCE_TEXT: Readonly<Record<EvidenceStance, string>> = {
  supports: 'the same failure was overcome in the same way',
  unsure: 'the same remedy worked at one time and not at another',
  contradicts: 'the same remedy did not overcome the same failure',
};

function fieldsOf({ lesson }: MemoryEntry, collected: readonly FoundEvidence[]): Record<string, string> {
  const count = (stance: EvidenceStance) =>
    collected.filter((one) => one.kind === 'tool_result' && one.stance === stance).length;
  const { condition, action, rationale } = lesson.activation;
  return {
    memory: lesson.discovery,
    condition,
    action,
    rationale,
    steps: lesson.steps.join('\n'),
    'other executions': `its remedy worked in ${count('supports')}, not in ${count('contradicts')}, in part in ${count('unsure')}`,
  };
}
