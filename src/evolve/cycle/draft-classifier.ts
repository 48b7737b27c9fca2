import { type ComparedDraft, type Draft, type DraftIdentity, draftKey } from '../drafts/draft.js';
import type { KnownClaims, RejectedFingerprint } from '../drafts/known-claims.js';
import { orderedByRejections, type RejectedProposal } from '../drafts/lowered-rank.js';
import type { SupportUnit } from '../support/support.schema.js';

/** A rejected lesson is proposed again only if this many more parties had the failure. */
const PARTIES_TO_RETURN = 3;

export interface ClassifierSettings {
  /** 0..1. */
  readonly minConfidenceForProposal: number;
  readonly maxProposalsPerCycle: number;
  /** What a party is. */
  readonly unit: SupportUnit;
}

/** The drafts of a cycle. Each is in exactly one of the lists, or counted as unwordable. */
export interface ClassifiedDrafts {
  /**
   * To be submitted, the greatest impact first, at most `maxProposalsPerCycle`. Drafts that resemble rejected proposals
   * come later than their impact says.
   */
  readonly drafts: readonly ComparedDraft[];
  /** Above the limit: reported, and proposed by a later cycle. */
  readonly heldBack: readonly ComparedDraft[];
  readonly lowConfidence: readonly DraftIdentity[];
  /** Pending proposals whose evidence is to be refreshed. */
  readonly alreadyPending: readonly { readonly proposalId: string; readonly draft: ComparedDraft }[];
  /** Special cases of pending proposals with the same action; they add nothing to these. */
  readonly subsumedByPending: readonly { readonly proposalId: string; readonly draft: ComparedDraft }[];
  /** Say no more than another draft of this cycle; `by` is its key. */
  readonly subsumedByDraft: readonly { readonly by: string; readonly draft: ComparedDraft }[];
  /** Approved, or a special case of an approved skill. */
  readonly alreadyApproved: readonly { readonly entryId: string; readonly draft: DraftIdentity }[];
  readonly rememberedRejections: readonly { readonly reason: string; readonly draft: DraftIdentity }[];
  /** Among `drafts` and `heldBack`. */
  readonly conflicts: number;
  readonly supersessions: number;
  /** Lessons whose remedy no observed call shows, that teach nothing, or that a gate refuses. */
  readonly unwordable: number;
}

/** Adds a draft to the list that it belongs to. */
type Recording = () => void;

/**
 * Classifies drafts and records why a draft is not proposed. Drafts are added by decreasing impact; later drafts are
 * compared with earlier ones.
 */
export class DraftClassifier {
  private readonly lists = {
    proposed: [] as ComparedDraft[],
    lowConfidence: [] as DraftIdentity[],
    alreadyPending: [] as ClassifiedDrafts['alreadyPending'][number][],
    subsumedByPending: [] as ClassifiedDrafts['subsumedByPending'][number][],
    subsumedByDraft: [] as ClassifiedDrafts['subsumedByDraft'][number][],
    alreadyApproved: [] as ClassifiedDrafts['alreadyApproved'][number][],
    rememberedRejections: [] as ClassifiedDrafts['rememberedRejections'][number][],
  };
  private unwordable = 0;

  constructor(
    private readonly knownClaims: KnownClaims,
    private readonly settings: ClassifierSettings,
    private readonly rejected: readonly RejectedProposal[] = [],
  ) {}

  /** Returns whether the draft becomes a proposal or refreshes one, so that it must be worded. */
  private needsWords(identity: DraftIdentity): boolean {
    if (this.isUnsure(identity)) return false;
    return this.knownClaims.mayBePending(identity) || this.settledWithoutWords(identity) === undefined;
  }

  /** `word` returns undefined for a lesson that cannot be worded; it is called if the draft needs words. */
  add(identity: DraftIdentity, word: () => Draft | undefined): void {
    const draft = this.needsWords(identity) ? word() : undefined;
    const record = draft ? this.classify(draft) : this.settledWithoutWords(identity);
    if (record) record();
    else this.unwordable += 1;
  }

  result(): ClassifiedDrafts {
    const { proposed: found, ...lists } = this.lists;
    const proposed = orderedByRejections(found, this.rejected);
    return {
      ...lists,
      drafts: proposed.slice(0, this.settings.maxProposalsPerCycle),
      heldBack: proposed.slice(this.settings.maxProposalsPerCycle),
      unwordable: this.unwordable,
      conflicts: proposed.filter(({ kind }) => kind === 'conflict').length,
      supersessions: proposed.filter(({ kind }) => kind === 'supersede').length,
    };
  }

  private isUnsure({ evidence }: DraftIdentity): boolean {
    return evidence.confidence < this.settings.minConfidenceForProposal;
  }

  /** What the figures and the fingerprints alone decide. */
  private settledWithoutWords(draft: DraftIdentity): Recording | undefined {
    const { lists } = this;
    if (this.isUnsure(draft)) return () => lists.lowConfidence.push(draft);
    const entryId = this.knownClaims.approved(draft);
    if (entryId) return () => lists.alreadyApproved.push({ entryId, draft });
    const binding = this.knownClaims
      .rejections(draft)
      .find((rejection) => bindsRejection(rejection, draft, this.settings.unit));
    return binding && (() => lists.rememberedRejections.push({ reason: binding.reason, draft }));
  }

  private classify(draft: Draft): Recording {
    const pending = this.knownClaims.pending(draft);
    if (pending) return () => this.lists.alreadyPending.push(pending);
    const covered = this.knownClaims.coveredByPending(draft);
    if (covered) return () => this.lists.subsumedByPending.push(covered);
    return this.settledWithoutWords(draft) ?? this.classifyCompared(draft);
  }

  private classifyCompared(found: Draft): Recording {
    const { lists } = this;
    const { draft, subsumption } = this.knownClaims.compare(found);
    const { subsumedByDraft, subsumedByApproved, subsumedByPending, covers = [], refreshes } = subsumption;
    if (subsumedByDraft !== undefined) return () => lists.subsumedByDraft.push({ by: subsumedByDraft, draft });
    if (subsumedByApproved !== undefined)
      return () => lists.alreadyApproved.push({ entryId: subsumedByApproved, draft });
    if (subsumedByPending !== undefined)
      return () => lists.subsumedByPending.push({ proposalId: subsumedByPending, draft });
    this.dropCovered(covers, draft);
    if (refreshes !== undefined) return () => lists.alreadyPending.push({ proposalId: refreshes, draft });
    return () => this.propose(draft);
  }

  private propose(draft: ComparedDraft): void {
    this.knownClaims.propose(draft);
    this.lists.proposed.push(draft);
  }

  /** Takes back drafts that are covered by a more confident draft. */
  private dropCovered(covered: readonly string[], by: ComparedDraft): void {
    const { proposed } = this.lists;
    for (const key of covered) {
      const at = proposed.findIndex((draft) => draftKey(draft) === key);
      for (const draft of at < 0 ? [] : proposed.splice(at, 1))
        this.lists.subsumedByDraft.push({ by: draftKey(by), draft });
    }
  }
}

/**
 * A rejection binds a draft with the same action until the evidence is materially new, counted as its support is. Another
 * action may be proposed at once.
 */
function bindsRejection(rejection: RejectedFingerprint, draft: DraftIdentity, unit: SupportUnit): boolean {
  const { distinctAgents, projects, tasks } = draft.evidence.counts;
  const more = {
    agents: distinctAgents - rejection.agents,
    // Of one agent in one project, another agent and another project are both another party.
    projects: Math.max(distinctAgents - rejection.agents, projects - rejection.projects),
    sessions: tasks - rejection.tasks,
  };
  return rejection.actionFingerprint === draft.actionFingerprint && more[unit] < PARTIES_TO_RETURN;
}
