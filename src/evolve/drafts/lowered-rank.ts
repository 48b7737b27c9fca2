import type { LoweredBy, RejectionKind } from '../../approvals/texts/rejection-reason.schema.js';
import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import { type ComparedDraft, draftKey } from './draft.js';

/** A rejected proposal, as far as a draft can resemble it. */
export interface RejectedProposal {
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** What failed: the tool and its coarse action. */
  readonly tool: string;
  readonly failingAction: string;
  readonly reason: RejectionKind;
}

/** Proposals of earlier versions also know `writer`. */
type Resemblance = LoweredBy['resembles'];

/**
 * How often a rejection halves the impact of what resembles it. A remedy that is wrong or does harm is so elsewhere; what
 * is unclear says nothing on the remedy. A free text counts for the remedy alone.
 */
const HALVINGS: Readonly<Record<RejectionKind, Readonly<Partial<Record<Resemblance, number>>>>> = {
  wrong: { remedy: 2, action: 1 },
  unsafe: { remedy: 2, action: 1 },
  known: { remedy: 1, action: 1 },
  outdated: { remedy: 1, action: 1 },
  narrow: { action: 1 },
  unclear: {},
  other: { remedy: 1 },
};
const RESEMBLANCES: readonly Resemblance[] = ['remedy', 'action'];

/** Rejections with one reason before they lower: the weaker the resemblance, the more. */
const FEWEST: Readonly<Partial<Record<Resemblance, number>>> = { remedy: 1, action: 2 };

/** No draft falls below an eighth of its impact, so that each is proposed when there is room. */
const MOST_HALVINGS = 3;

/** What lowers a draft: rejections by reason and by what it has in common with them. */
export function loweredBy(
  draft: Pick<ComparedDraft, 'evidence' | 'fingerprints' | 'actionFingerprint'>,
  rejected: readonly RejectedProposal[],
): LoweredBy[] {
  const found = new Map<string, LoweredBy>();
  for (const one of rejected)
    for (const resembles of RESEMBLANCES) {
      if (HALVINGS[one.reason][resembles] === undefined || !doesResemble(draft, one, resembles)) continue;
      const key = `${resembles} ${one.reason}`;
      found.set(key, { reason: one.reason, resembles, rejections: (found.get(key)?.rejections ?? 0) + 1 });
    }
  return [...found.values()]
    .filter(({ resembles, rejections }) => rejections >= (FEWEST[resembles] ?? 1))
    .sort((a, b) => RESEMBLANCES.indexOf(a.resembles) - RESEMBLANCES.indexOf(b.resembles) || halvings(b) - halvings(a));
}

/** A rejection about all the failures of a draft is remembered by itself: it blocks the same claim, and lowers nothing. */
function doesResemble(
  draft: Pick<ComparedDraft, 'evidence' | 'fingerprints' | 'actionFingerprint'>,
  rejected: RejectedProposal,
  resembles: Resemblance,
): boolean {
  if (draft.fingerprints.every((print) => rejected.fingerprints.includes(print))) return false;
  if (resembles === 'remedy') return draft.actionFingerprint === rejected.actionFingerprint;
  const { tool, failingAction } = draft.evidence;
  return failingAction !== '' && tool === rejected.tool && failingAction === rejected.failingAction;
}

const halvings = ({ reason, resembles }: LoweredBy): number => HALVINGS[reason][resembles] ?? 0;

/**
 * Orders the drafts of a cycle for the limited places of the queue: within a verdict by impact, lowered by rejections of
 * what they resemble. It takes no draft away, and without rejections the order stays. A draft that contradicts another
 * one stays behind it.
 */
export function orderedByRejections(
  drafts: readonly ComparedDraft[],
  rejected: readonly RejectedProposal[],
): ComparedDraft[] {
  const all = drafts.map((draft) => {
    const lowered = loweredBy(draft, rejected);
    return lowered.length === 0 ? draft : { ...draft, lowered };
  });
  if (all.every(({ lowered }) => lowered === undefined)) return all;
  const places = new Map<string, Place>();
  for (const draft of all) {
    const rivals = draft.conflictsWithDrafts.flatMap((key) => places.get(key) ?? []);
    places.set(draftKey(draft), [placeOf(draft), ...rivals].reduce(later));
  }
  return all
    .map((draft) => ({ draft, place: places.get(draftKey(draft)) ?? placeOf(draft) }))
    .sort((a, b) => compare(a.place, b.place))
    .map(({ draft }) => draft);
}

interface Place {
  readonly verdict: number;
  readonly impact: number;
}

function placeOf({ evidence, lowered = [] }: ComparedDraft): Place {
  const times = Math.min(
    MOST_HALVINGS,
    lowered.reduce((sum, one) => sum + halvings(one), 0),
  );
  return { verdict: VERDICTS.indexOf(evidence.check.verdict), impact: evidence.impact / 2 ** times };
}

const compare = (a: Place, b: Place): number => a.verdict - b.verdict || b.impact - a.impact;
const later = (a: Place, b: Place): Place => (compare(a, b) >= 0 ? a : b);
