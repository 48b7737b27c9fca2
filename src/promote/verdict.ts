import type { EvidenceKind, ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import type { Derivation } from '../memory/store/derivation.js';

/**
 * The order of evidence, strongest first: a statement of a person, a primary source, the result of a tool, the opinion
 * of a second model. What a memory asserts about itself is no evidence, however confident it is.
 */
export const EVIDENCE_ORDER: readonly EvidenceKind[] = ['person', 'primary_source', 'tool_result', 'second_model'];

export const UNRESOLVED_REASONS = [
  /** No check has run yet. */
  'not_checked',
  /** The only support is the memory's own assertion. */
  'no_evidence',
  /** There is support, but too little, or only for a part of the memory. */
  'not_enough_evidence',
  /** Evidence of the same kind supports and contradicts it. */
  'conflicting_evidence',
  /** The strongest evidence contradicts it. */
  'contradicted',
  /** It was concluded from a memory that is not verified, or that has ended. */
  'derived_from_unverified',
  /** The verifier model could not be asked; it is asked again. */
  'verifier_unavailable',
  /** The verifier model has used up its calls of the day. */
  'verifier_over_budget',
] as const;
export type UnresolvedReason = (typeof UNRESOLVED_REASONS)[number];

export type PromotionVerdict =
  | { readonly verified: true; readonly by: EvidenceKind; readonly evidence: readonly string[] }
  | { readonly verified: false; readonly because: UnresolvedReason; readonly evidence: readonly string[] };

export interface VerdictSettings {
  /** Independent executions in which the remedy must have worked. */
  readonly executions: number;
  /** How many of these must be of other agents than the memory's own. */
  readonly otherAgents: number;
  /** Distinct owners of all agents, including the memory's own. */
  readonly owners: number;
}

export interface VerdictInput {
  /** The memory's agent and that agent's owner; null for a memory of a role or a department. */
  readonly agentId: string | null;
  readonly owner: string | null;
  readonly evidence: readonly ProvenanceEvidence[];
  /** The memories that it rests on, without itself. */
  readonly grounds: readonly Omit<Derivation, 'root' | 'scope'>[];
}

/** If one result is this many times as frequent as the other, the exceptions count as noise. */
const CLEAR_MAJORITY = 4;

type Ruling = 'supports' | 'contradicts' | 'conflicting_evidence' | 'not_enough_evidence';

/**
 * Returns whether the evidence verifies a memory. The strongest kind of evidence that is conclusive decides; weaker
 * kinds cannot change that. Without evidence, a memory is not verified.
 */
export function evaluateEvidence(input: VerdictInput, settings: VerdictSettings): PromotionVerdict {
  let hasEvidence = false;
  for (const kind of EVIDENCE_ORDER) {
    const evidence = latestBySource(input.evidence.filter((one) => one.kind === kind));
    const ruling = rulingOf(kind, evidence, input, settings);
    if (ruling === undefined) continue;
    hasEvidence = true;
    // Inconclusive: a weaker kind may decide.
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

/** Returns the latest evidence of each source, in chronological order. */
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
  // The latest statement of all people, or of all models, counts.
  const last = evidence.at(-1);
  if (last === undefined || last.stance === 'unsure') return 'not_enough_evidence';
  if (last.stance === 'supports' && !last.whole) return 'not_enough_evidence';
  return last.stance;
}

/** For tools, every execution counts; for the other kinds, only the latest statement. */
const deciding = (kind: EvidenceKind, evidence: readonly ProvenanceEvidence[]): readonly ProvenanceEvidence[] =>
  kind === 'tool_result' ? evidence : evidence.slice(-1);

function toolRuling(evidence: readonly ProvenanceEvidence[], input: VerdictInput, settings: VerdictSettings): Ruling {
  const supporting = evidence.filter(({ stance }) => stance === 'supports');
  const contradicting = evidence.filter(({ stance }) => stance === 'contradicts').length;
  // One contradiction is enough for doubt, unless four times as many results support the memory.
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
 * A conclusion is no better than its grounds. A person who verified it knew the grounds at that time; what ended after
 * their statement, they did not know.
 */
function restsOnUnverified(input: VerdictInput, by: EvidenceKind): boolean {
  const unverified = unverifiedGrounds(input);
  if (by !== 'person') return unverified.length > 0;
  const statement = input.evidence.filter(({ kind }) => kind === 'person').at(-1);
  const statedAt = statement === undefined ? 0 : Date.parse(statement.at);
  return unverified.some(({ ended, endedAt }) => ended && (endedAt === null || endedAt.getTime() > statedAt));
}
