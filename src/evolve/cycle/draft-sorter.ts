import type { ComparedDraft, Draft } from '../drafts/draft.js';
import type { KnownClaims, RejectedFingerprint } from '../drafts/known-claims.js';

/** A rejected proposal comes back only with this many agents more. */
const AGENTS_TO_RETURN = 3;

export interface SortingSettings {
  /** `minConfidenceForOrgPromotion` of the configuration, 0..1. */
  readonly minConfidence: number;
  readonly maxProposalsPerCycle: number;
}

/** The drafts of a cycle: each is in exactly one of the lists, or is one of the unwordable. */
export interface SortedDrafts {
  /** To be submitted, the greatest impact first, at most `maxProposalsPerCycle`. */
  readonly drafts: readonly ComparedDraft[];
  /** Held back by the cap: shown, and proposed by a later cycle. */
  readonly heldBack: readonly ComparedDraft[];
  readonly lowConfidence: readonly Draft[];
  /** Pending items whose evidence is to be refreshed. */
  readonly alreadyPending: readonly { readonly itemId: string; readonly draft: ComparedDraft }[];
  /** Special cases of pending items that ask for nothing else: nothing is added to those. */
  readonly toldInPending: readonly { readonly itemId: string; readonly draft: ComparedDraft }[];
  /** Say no more than another proposal of this cycle, `by` its fingerprint. */
  readonly toldInDraft: readonly { readonly by: string; readonly draft: ComparedDraft }[];
  /** Approved, or a special case of what is. */
  readonly alreadyApproved: readonly { readonly entryId: string; readonly draft: Draft }[];
  readonly rememberedRejections: readonly { readonly reason: string; readonly draft: Draft }[];
  /** Among `drafts` and `heldBack`. */
  readonly conflicts: number;
  readonly supersessions: number;
  /** Patterns whose action cannot be shown without showing somebody's text. */
  readonly unwordable: number;
}

/** Where a draft goes, and with which facts. */
type Destination =
  | { readonly list: 'lowConfidence'; readonly draft: Draft }
  | { readonly list: 'alreadyPending' | 'toldInPending'; readonly itemId: string; readonly draft: ComparedDraft }
  | { readonly list: 'toldInDraft'; readonly by: string; readonly draft: ComparedDraft }
  | { readonly list: 'alreadyApproved'; readonly entryId: string; readonly draft: Draft }
  | { readonly list: 'rememberedRejections'; readonly reason: string; readonly draft: Draft }
  | { readonly list: 'proposed'; readonly draft: ComparedDraft };

/**
 * Sorts drafts into proposals and what is none, each with its reason. They are added in the order of their impact: an
 * earlier draft is known to the later ones.
 */
export class DraftSorter {
  private readonly lists = {
    drafts: [] as ComparedDraft[],
    heldBack: [] as ComparedDraft[],
    lowConfidence: [] as Draft[],
    alreadyPending: [] as SortedDrafts['alreadyPending'][number][],
    toldInPending: [] as SortedDrafts['toldInPending'][number][],
    toldInDraft: [] as SortedDrafts['toldInDraft'][number][],
    alreadyApproved: [] as SortedDrafts['alreadyApproved'][number][],
    rememberedRejections: [] as SortedDrafts['rememberedRejections'][number][],
  };
  private unwordable = 0;

  constructor(
    private readonly known: KnownClaims,
    private readonly settings: SortingSettings,
  ) {}

  /** `undefined`: a pattern that could not be worded. */
  add(draft: Draft | undefined): void {
    if (draft) this.put(this.destinationOf(draft));
    else this.unwordable += 1;
  }

  sorted(): SortedDrafts {
    const proposed = [...this.lists.drafts, ...this.lists.heldBack];
    return {
      ...this.lists,
      unwordable: this.unwordable,
      conflicts: proposed.filter(({ kind }) => kind === 'conflict').length,
      supersessions: proposed.filter(({ kind }) => kind === 'supersede').length,
    };
  }

  private destinationOf(draft: Draft): Destination {
    if (draft.evidence.confidence.value < this.settings.minConfidence) return { list: 'lowConfidence', draft };
    const pending = this.known.pending(draft);
    if (pending) return { list: 'alreadyPending', ...pending };
    const approved = this.known.approved(draft);
    if (approved) return { list: 'alreadyApproved', entryId: approved, draft };
    const rejections = this.known.rejections(draft);
    const binding = rejections.find((rejection) => stillHolds(rejection, draft));
    if (binding) return { list: 'rememberedRejections', reason: binding.reason, draft };
    return this.comparedWith(rejections, draft);
  }

  private comparedWith(rejections: readonly RejectedFingerprint[], found: Draft): Destination {
    const { draft, said } = this.known.compare(found, rejections);
    if (said.toldInDraft !== undefined) return { list: 'toldInDraft', by: said.toldInDraft, draft };
    if (said.toldInEntry !== undefined) return { list: 'alreadyApproved', entryId: said.toldInEntry, draft };
    if (said.toldInItem !== undefined) return { list: 'toldInPending', itemId: said.toldInItem, draft };
    this.takeBack(said.covers ?? [], draft);
    if (said.refreshes !== undefined) return { list: 'alreadyPending', itemId: said.refreshes, draft };
    return { list: 'proposed', draft };
  }

  private put(to: Destination): void {
    const { lists } = this;
    if (to.list === 'proposed') this.propose(to.draft);
    else if (to.list === 'lowConfidence') lists.lowConfidence.push(to.draft);
    else if (to.list === 'toldInDraft') lists.toldInDraft.push({ by: to.by, draft: to.draft });
    else if (to.list === 'alreadyApproved') lists.alreadyApproved.push({ entryId: to.entryId, draft: to.draft });
    else if (to.list === 'rememberedRejections')
      lists.rememberedRejections.push({ reason: to.reason, draft: to.draft });
    else lists[to.list].push({ itemId: to.itemId, draft: to.draft });
  }

  private propose(draft: ComparedDraft): void {
    this.known.propose(draft);
    const { drafts, heldBack } = this.lists;
    (drafts.length < this.settings.maxProposalsPerCycle ? drafts : heldBack).push(draft);
  }

  /** What was about to be proposed, and is no more than a part of what another draft says more surely. */
  private takeBack(covered: readonly string[], by: ComparedDraft): void {
    for (const list of [this.lists.drafts, this.lists.heldBack])
      for (const print of covered) {
        const at = list.findIndex(({ fingerprint }) => fingerprint === print);
        for (const draft of at < 0 ? [] : list.splice(at, 1))
          this.lists.toldInDraft.push({ by: by.fingerprint, draft });
      }
  }
}

/** The same action is asked for again only with materially new evidence; another action may be asked for at once. */
function stillHolds(rejection: RejectedFingerprint, draft: Draft): boolean {
  return (
    rejection.actionFingerprint === draft.actionFingerprint &&
    draft.evidence.counts.distinctAgents < rejection.agents + AGENTS_TO_RETURN
  );
}
