import { Inject, Injectable } from '@nestjs/common';
import { ReportWindow } from '../capture/store/report-window.service.js';
import type { Evidence, Stance } from '../memory/provenance/evidence.schema.js';
import { VerifierStanding } from '../memory/provenance/verifier-standing.service.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS } from '../platform/base/durations.js';
import type { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { SecondOpinions } from '../propose/questions/second-opinions.service.js';
import { type Claim, claimsOf, shownBy } from './claim.js';
import { PromotionRepository } from './promotion.repository.js';

/** Of the newest executions in which the failure occurred, so many are looked at. */
const MOST_EXECUTIONS = 200;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 900_000;

export type Found = Pick<Evidence, 'kind' | 'stance' | 'source' | 'whole' | 'agentId' | 'owner' | 'reason'> & {
  readonly kind: Exclude<Evidence['kind'], 'person'>;
};

export interface Asked {
  readonly found: readonly Found[];
  /** `none`: there is no second model that may be asked of this, or it was asked before. */
  readonly verifier: 'asked' | 'away' | 'over_budget' | 'none';
}

/** Who can say something of a memory that is not the memory's own word (spec R6). */
@Injectable()
export class Corroborators {
  private unanswered = 0;
  private restsUntil = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly window: ReportWindow,
    private readonly opinions: SecondOpinions,
    private readonly standing: VerifierStanding,
    private readonly repository: PromotionRepository,
  ) {}

  /** What tools did in later executions, and what people approved of the same failure since. */
  async records(memory: MemoryEntry): Promise<Found[]> {
    const source = memory.sourceExecutionId;
    if (source === null) return [];
    for await (const { observed } of this.window.these([source])) {
      const { claims, whole } = claimsOf(memory.lesson, memory.proposer, observed);
      if (claims.length === 0) return [];
      return [...(await this.approved(claims, whole)), ...(await this.tools(claims, whole, source))];
    }
    return [];
  }

  /** A skill that a person approved against the same failure, with the same remedy. */
  private async approved(claims: readonly Claim[], whole: boolean): Promise<Found[]> {
    const answers = await Promise.all(
      claims.map(async ({ fingerprint, actions }) =>
        (await this.repository.approvedAnswers(this.database.client, fingerprint)).filter(({ action }) =>
          actions.includes(action),
        ),
      ),
    );
    if (answers.some((of) => of.length === 0)) return [];
    return [...new Set(answers.flat().map(({ approvalId }) => approvalId))].map((approvalId) => ({
      kind: 'primary_source',
      stance: 'supports',
      source: approvalId,
      whole,
      agentId: null,
      owner: null,
      reason: 'a person approved a skill with the same remedy for the same failure',
    }));
  }

  /** By root execution: sub-agents are no further witnesses, and the worst of what they show counts. */
  private async tools(claims: readonly Claim[], whole: boolean, source: string): Promise<Found[]> {
    const keys = claims.map(({ patternKey }) => patternKey);
    const byRoot = new Map<string, Found>();
    for await (const { session, observed } of this.window.laterWith(keys, source, MOST_EXECUTIONS)) {
      const stance = shownBy(claims, observed);
      if (stance === undefined) continue;
      const { root, agentId, owner } = observed.support;
      const known = byRoot.get(root);
      if (known && WEIGHT[known.stance] >= WEIGHT[stance]) continue;
      const reason = REASON[stance];
      byRoot.set(root, {
        kind: 'tool_result',
        stance,
        source: known?.source ?? session,
        whole,
        agentId,
        owner,
        reason,
      });
    }
    return [...byRoot.values()];
  }

  /** What a second model says of it, where there is one that is independent of who wrote it and was not asked yet. */
  async opinion(memory: MemoryEntry, evidence: readonly Evidence[], shown: readonly Found[]): Promise<Asked> {
    const { model } = this.opinions;
    const known = evidence.some(({ kind, source }) => kind === 'second_model' && source === model);
    if (model === undefined || known) return { found: [], verifier: 'none' };
    const models = memory.agentId ? await this.repository.modelsOf(this.database.client, memory.agentId) : [];
    // Rules think with no model, and so whatever the agent's own is has not spoken.
    const wrote = memory.proposer.startsWith('rules/') ? [] : models;
    if (!this.opinions.isIndependentOf(memory.proposer, wrote)) return { found: [], verifier: 'none' };
    const now = this.clock.now();
    if (now.getTime() < this.restsUntil) return { found: [], verifier: 'away' };
    const since = new Date(now.getTime() - DAY_MS);
    if ((await this.repository.asked(this.database.client, since)) >= this.config.verifierDayCalls)
      return { found: [], verifier: 'over_budget' };
    const opinion = await this.opinions.ask(fieldsOf(memory, shown));
    this.say(opinion.outcome === 'unavailable');
    if (opinion.outcome === 'unavailable') return { found: [], verifier: 'away' };
    const stance: Stance = opinion.outcome === 'none' || opinion.verdict === 'cannot_tell' ? 'unsure' : opinion.verdict;
    const said = { kind: 'second_model', source: model, whole: true, agentId: null, owner: null } as const;
    return { found: [{ ...said, stance, reason: opinion.reason }], verifier: 'asked' };
  }

  /** A model that does not answer rests, twice as long each time; what is written meanwhile says that it was away. */
  private say(away: boolean): void {
    this.standing.say(away);
    this.unanswered = away ? this.unanswered + 1 : 0;
    const rest = Math.min(FIRST_REST_MS * 2 ** (this.unanswered - 1), LONGEST_REST_MS);
    this.restsUntil = away ? this.clock.now().getTime() + rest : 0;
  }
}

const WEIGHT: Readonly<Record<Stance, number>> = { supports: 0, unsure: 1, contradicts: 2 };
const REASON: Readonly<Record<Stance, string>> = {
  supports: 'the same failure was overcome in the same way',
  unsure: 'the same remedy worked at one time and not at another',
  contradicts: 'the same remedy did not overcome the same failure',
};

function fieldsOf({ lesson }: MemoryEntry, shown: readonly Found[]): Record<string, string> {
  const count = (stance: Stance) => shown.filter((one) => one.kind === 'tool_result' && one.stance === stance).length;
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
