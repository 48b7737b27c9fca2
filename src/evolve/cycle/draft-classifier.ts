import { type ComparedDraft, type Draft, type DraftIdentity, draftKey } from '../drafts/draft.js';
import type { KnownClaims, RejectedFingerprint } from '../drafts/known-claims.js';
import { orderedByRejections, type RejectedProposal } from '../drafts/lowered-rank.js';

/** A rejected lesson is proposed again only if this many more agents had the failure. */
const AGENTS_TO_RETURN = 3;

export interface ClassifierSettings {
  /** `minConfidenceForProposal` of the configuration, 0..1. */
  readonly minConfidence: number;
  readonly maxProposalsPerCycle: number;
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

/** The list that a draft goes to, with the facts for that list. */
type Destination =
  | { readonly list: 'lowConfidence'; readonly draft: DraftIdentity }
  | {
      readonly list: 'alreadyPending' | 'subsumedByPending';
      readonly proposalId: string;
      readonly draft: ComparedDraft;
    }
  | { readonly list: 'subsumedByDraft'; readonly by: string; readonly draft: ComparedDraft }
  | { readonly list: 'alreadyApproved'; readonly entryId: string; readonly draft: DraftIdentity }
  | { readonly list: 'rememberedRejections'; readonly reason: string; readonly draft: DraftIdentity }
  | { readonly list: 'proposed'; readonly draft: ComparedDraft };

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
  needsWords(identity: DraftIdentity): boolean {
    if (this.lowConfidence(identity)) return false;
    return this.knownClaims.mayBePending(identity) || this.settledWithoutWords(identity) === undefined;
  }

  /** `word` returns undefined for a lesson that cannot be worded; it is called if the draft needs words. */
  add(identity: DraftIdentity, word: () => Draft | undefined): void {
    const draft = this.needsWords(identity) ? word() : undefined;
    const to = draft ? this.classify(draft) : this.settledWithoutWords(identity);
    if (to) this.record(to);
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

  private lowConfidence(draft: DraftIdentity): Destination | undefined {
    return draft.evidence.confidence.value < this.settings.minConfidence ? { list: 'lowConfidence', draft } : undefined;
  }

  /** What the figures and the fingerprints alone decide. */
  private settledWithoutWords(draft: DraftIdentity): Destination | undefined {
    const low = this.lowConfidence(draft);
    if (low) return low;
    const approved = this.knownClaims.approved(draft);
    if (approved) return { list: 'alreadyApproved', entryId: approved, draft };
    const binding = this.knownClaims.rejections(draft).find((rejection) => bindsRejection(rejection, draft));
    return binding ? { list: 'rememberedRejections', reason: binding.reason, draft } : undefined;
  }

  private classify(draft: Draft): Destination {
    const pending = this.knownClaims.pending(draft);
    if (pending) return { list: 'alreadyPending', ...pending };
    const covered = this.knownClaims.coveredByPending(draft);
    if (covered) return { list: 'subsumedByPending', ...covered };
    return this.settledWithoutWords(draft) ?? this.classifyCompared(this.knownClaims.rejections(draft), draft);
  }

  private classifyCompared(rejections: readonly RejectedFingerprint[], found: Draft): Destination {
    const { draft, subsumption } = this.knownClaims.compare(found, rejections);
    if (subsumption.subsumedByDraft !== undefined)
      return { list: 'subsumedByDraft', by: subsumption.subsumedByDraft, draft };
    if (subsumption.subsumedByApproved !== undefined)
      return { list: 'alreadyApproved', entryId: subsumption.subsumedByApproved, draft };
    if (subsumption.subsumedByPending !== undefined)
      return { list: 'subsumedByPending', proposalId: subsumption.subsumedByPending, draft };
    this.dropCovered(subsumption.covers ?? [], draft);
    if (subsumption.refreshes !== undefined)
      return { list: 'alreadyPending', proposalId: subsumption.refreshes, draft };
    return { list: 'proposed', draft };
  }

  private record(to: Destination): void {
    const { lists } = this;
    if (to.list === 'proposed') this.propose(to.draft);
    else if (to.list === 'lowConfidence') lists.lowConfidence.push(to.draft);
    else if (to.list === 'subsumedByDraft') lists.subsumedByDraft.push({ by: to.by, draft: to.draft });
    else if (to.list === 'alreadyApproved') lists.alreadyApproved.push({ entryId: to.entryId, draft: to.draft });
    else if (to.list === 'rememberedRejections')
      lists.rememberedRejections.push({ reason: to.reason, draft: to.draft });
    else lists[to.list].push({ proposalId: to.proposalId, draft: to.draft });
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
 * A rejection binds a draft with the same action until the evidence is materially new. Another action may be proposed
 * at once.
 */
function bindsRejection(rejection: RejectedFingerprint, draft: DraftIdentity): boolean {
  return (
    rejection.actionFingerprint === draft.actionFingerprint &&
    draft.evidence.counts.distinctAgents < rejection.agents + AGENTS_TO_RETURN
  );
}
