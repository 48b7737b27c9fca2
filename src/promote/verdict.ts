import type { EvidenceKind, ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import type { Derivation } from '../memory/store/derivation.js';

/**
 * The order of evidence (spec R6, source [004] rule 4): a person's word stands above a primary source, that above what
 * tools do, and that above a second model. The assertion that a memory is stands below all of them, however confident.
 */
export const EVIDENCE_ORDER: readonly EvidenceKind[] = ['person', 'primary_source', 'tool_result', 'second_model'];

export const UNRESOLVED_REASONS = [
  /** Nobody has looked at it yet. */
  'not_checked',
  /** Nothing speaks for it or against it but its own assertion. */
  'no_evidence',
  /** Something speaks for it, and not enough, or for a part of it only. */
  'not_enough_evidence',
  /** Evidence of one kind speaks for it and against it. */
  'conflicting_evidence',
  /** The highest evidence speaks against it. */
  'contradicted',
  /** It was concluded from what is not verified, or is gone. */
  'derived_from_unverified',
  /** The second model could not be asked; it is asked again. */
  'verifier_unavailable',
  /** The second model was asked as often as it may be in a day. */
  'verifier_over_budget',
] as const;
export type UnresolvedReason = (typeof UNRESOLVED_REASONS)[number];

export type PromotionVerdict =
  | { readonly verified: true; readonly by: EvidenceKind; readonly evidence: readonly string[] }
  | { readonly verified: false; readonly because: UnresolvedReason; readonly evidence: readonly string[] };

export interface VerdictSettings {
  /** Independent executions in which the remedy has to have worked. */
  readonly executions: number;
  /** How many other agents than the memory's own have to be among them. */
  readonly otherAgents: number;
  /** Distinct owners of all the agents, the memory's own included. */
  readonly owners: number;
}

export interface VerdictInput {
  /** Whose memory it is, and whose agent; null for one of a role or a department. */
  readonly agentId: string | null;
  readonly owner: string | null;
  readonly evidence: readonly ProvenanceEvidence[];
  /** What it rests on, itself left out. */
  readonly grounds: readonly Omit<Derivation, 'root' | 'scope'>[];
}

/** So many times as often as the other way, and the exception is taken for noise. */
const CLEAR_MAJORITY = 4;

type Ruling = 'supports' | 'contradicts' | 'conflicting_evidence' | 'not_enough_evidence';

/**
 * Whether the evidence verifies a memory (spec R6). The highest kind of evidence that says something decides, and what
 * stands below it cannot change that. Without any, the memory is not verified: that has to be earned.
 */
export function evaluateEvidence(input: VerdictInput, settings: VerdictSettings): PromotionVerdict {
  let hasEvidence = false;
  for (const kind of EVIDENCE_ORDER) {
    const evidence = latestBySource(input.evidence.filter((one) => one.kind === kind));
    const ruling = rulingOf(kind, evidence, input, settings);
    if (ruling === undefined) continue;
    hasEvidence = true;
    // Too little to decide, so that lower evidence may.
    if (ruling === 'not_enough_evidence') continue;
    const ids = deciding(kind, evidence).map(({ id }) => id);
    if (ruling === 'contradicts') return { verified: false, because: 'contradicted', evidence: ids };
    if (ruling === 'conflicting_evidence') return { verified: false, because: ruling, evidence: ids };
    if (restsOnUnverified(input, kind)) return { verified: false, because: 'derived_from_unverified', evidence: ids };
    return { verified: true, by: kind, evidence: ids };
  }
  const because = hasEvidence ? 'not_enough_evidence' : 'no_evidence';
  return {
    verified: false,
    because: unverifiedGrounds(input).length > 0 ? 'derived_from_unverified' : because,
    evidence: [],
  };
}

/** Of each source its last word, in the order of those words. */
const latestBySource = (evidence: readonly ProvenanceEvidence[]): ProvenanceEvidence[] =>
  evidence.filter(({ source }, at) => !evidence.slice(at + 1).some((later) => later.source === source));

function rulingOf(
  kind: EvidenceKind,
  evidence: readonly ProvenanceEvidence[],
  input: VerdictInput,
  settings: VerdictSettings,
): Ruling | undefined {
  if (evidence.length === 0) return undefined;
  if (kind === 'tool_result') return toolRuling(evidence, input, settings);
  // Of two people, and of two models, the later one.
  const last = evidence.at(-1);
  if (last === undefined || last.stance === 'unsure') return 'not_enough_evidence';
  if (last.stance === 'supports' && !last.whole) return 'not_enough_evidence';
  return last.stance;
}

/** The word of a person is their last one; of tools every execution counts. */
const deciding = (kind: EvidenceKind, evidence: readonly ProvenanceEvidence[]): readonly ProvenanceEvidence[] =>
  kind === 'tool_result' ? evidence : evidence.slice(-1);

function toolRuling(evidence: readonly ProvenanceEvidence[], input: VerdictInput, settings: VerdictSettings): Ruling {
  const supporting = evidence.filter(({ stance }) => stance === 'supports');
  const contradicting = evidence.filter(({ stance }) => stance === 'contradicts').length;
  // One failure is enough to doubt, and one in five is not.
  if (contradicting > 0 && supporting.length < CLEAR_MAJORITY * contradicting)
    return supporting.length === 0 || contradicting >= CLEAR_MAJORITY * supporting.length
      ? 'contradicts'
      : 'conflicting_evidence';
  const whole = supporting.filter((one) => one.whole);
  const others = new Set(whole.flatMap(({ agentId }) => (agentId && agentId !== input.agentId ? [agentId] : [])));
  const owners = new Set([...whole.flatMap(({ owner }) => owner ?? []), ...(input.owner ? [input.owner] : [])]);
  const enough =
    whole.length >= settings.executions && others.size >= settings.otherAgents && owners.size >= settings.owners;
  return enough ? 'supports' : 'not_enough_evidence';
}

type VerdictGround = VerdictInput['grounds'][number];

const isUnverified = ({ provenance, ended }: VerdictGround): boolean => provenance !== 'verified' || ended;
const unverifiedGrounds = ({ grounds }: VerdictInput): VerdictGround[] => grounds.filter(isUnverified);

/**
 * A conclusion is worth no more than what it rests on. A person who verified it knew that; what was taken back after
 * their word they did not know.
 */
function restsOnUnverified(input: VerdictInput, by: EvidenceKind): boolean {
  const unverified = unverifiedGrounds(input);
  if (by !== 'person') return unverified.length > 0;
  const statement = input.evidence.filter(({ kind }) => kind === 'person').at(-1);
  const statedAt = statement === undefined ? 0 : Date.parse(statement.at);
  return unverified.some(({ ended, endedAt }) => ended && (endedAt === null || endedAt.getTime() > statedAt));
}
