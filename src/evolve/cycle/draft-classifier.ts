import type { ComparedDraft, Draft } from '../drafts/draft.js';
import type { KnownClaims, RejectedFingerprint } from '../drafts/known-claims.js';

/** A rejected pattern is proposed again only if this many more agents had the failure. */
const AGENTS_TO_RETURN = 3;

export interface ClassifierSettings {
  /** `minConfidenceForProposal` of the configuration, 0..1. */
  readonly minConfidence: number;
  readonly maxProposalsPerCycle: number;
}

/** The drafts of a cycle. Each is in exactly one of the lists, or counted as unwordable. */
export interface ClassifiedDrafts {
  /** To be submitted, the greatest impact first, at most `maxProposalsPerCycle`. */
  readonly drafts: readonly ComparedDraft[];
  /** Above the limit: reported, and proposed by a later cycle. */
  readonly heldBack: readonly ComparedDraft[];
  readonly lowConfidence: readonly Draft[];
  /** Pending proposals whose evidence is to be refreshed. */
  readonly alreadyPending: readonly { readonly proposalId: string; readonly draft: ComparedDraft }[];
  /** Special cases of pending proposals with the same action; they add nothing to these. */
  readonly subsumedByPending: readonly { readonly proposalId: string; readonly draft: ComparedDraft }[];
  /** Say no more than another draft of this cycle; `by` is its fingerprint. */
  readonly subsumedByDraft: readonly { readonly by: string; readonly draft: ComparedDraft }[];
  /** Approved, or a special case of an approved skill. */
  readonly alreadyApproved: readonly { readonly entryId: string; readonly draft: Draft }[];
  readonly rememberedRejections: readonly { readonly reason: string; readonly draft: Draft }[];
  /** Among `drafts` and `heldBack`. */
  readonly conflicts: number;
  readonly supersessions: number;
  /** Patterns whose action cannot be shown without showing a text from outside. */
  readonly unwordable: number;
}

/** The list that a draft goes to, with the facts for that list. */
type Destination =
  | { readonly list: 'lowConfidence'; readonly draft: Draft }
  | {
      readonly list: 'alreadyPending' | 'subsumedByPending';
      readonly proposalId: string;
      readonly draft: ComparedDraft;
    }
  | { readonly list: 'subsumedByDraft'; readonly by: string; readonly draft: ComparedDraft }
  | { readonly list: 'alreadyApproved'; readonly entryId: string; readonly draft: Draft }
  | { readonly list: 'rememberedRejections'; readonly reason: string; readonly draft: Draft }
  | { readonly list: 'proposed'; readonly draft: ComparedDraft };

/**
 * Classifies drafts and records why a draft is not proposed. Drafts are added by decreasing impact; later drafts are
 * compared with earlier ones.
 */
export class DraftClassifier {
  private readonly lists = {
    drafts: [] as ComparedDraft[],
    heldBack: [] as ComparedDraft[],
    lowConfidence: [] as Draft[],
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
  ) {}

  /** `undefined`: a pattern that could not be worded. */
  add(draft: Draft | undefined): void {
    if (draft) this.record(this.classify(draft));
    else this.unwordable += 1;
  }

  result(): ClassifiedDrafts {
    const proposed = [...this.lists.drafts, ...this.lists.heldBack];
    return {
      ...this.lists,
      unwordable: this.unwordable,
      conflicts: proposed.filter(({ kind }) => kind === 'conflict').length,
      supersessions: proposed.filter(({ kind }) => kind === 'supersede').length,
    };
  }

  private classify(draft: Draft): Destination {
    if (draft.evidence.confidence.value < this.settings.minConfidence) return { list: 'lowConfidence', draft };
    const pending = this.knownClaims.pending(draft);
    if (pending) return { list: 'alreadyPending', ...pending };
    const approved = this.knownClaims.approved(draft);
    if (approved) return { list: 'alreadyApproved', entryId: approved, draft };
    const rejections = this.knownClaims.rejections(draft);
    const binding = rejections.find((rejection) => bindsRejection(rejection, draft));
    if (binding) return { list: 'rememberedRejections', reason: binding.reason, draft };
    return this.classifyCompared(rejections, draft);
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
    const { drafts, heldBack } = this.lists;
    (drafts.length < this.settings.maxProposalsPerCycle ? drafts : heldBack).push(draft);
  }

  /** Takes back drafts that are covered by a more confident draft. */
  private dropCovered(covered: readonly string[], by: ComparedDraft): void {
    for (const list of [this.lists.drafts, this.lists.heldBack])
      for (const print of covered) {
        const at = list.findIndex(({ fingerprint }) => fingerprint === print);
        for (const draft of at < 0 ? [] : list.splice(at, 1))
          this.lists.subsumedByDraft.push({ by: by.fingerprint, draft });
      }
  }
}

/**
 * A rejection binds a draft with the same action until the evidence is materially new. Another action may be proposed
 * at once.
 */
function bindsRejection(rejection: RejectedFingerprint, draft: Draft): boolean {
  return (
    rejection.actionFingerprint === draft.actionFingerprint &&
    draft.evidence.counts.distinctAgents < rejection.agents + AGENTS_TO_RETURN
  );
}
