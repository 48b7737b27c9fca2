import type { EvidenceKind, EvidenceStance, ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import type { Derivation } from '../memory/store/derivation.js';
import { groupsOf } from '../platform/base/sum.js';

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
  /** Enough executions support it, but they and the one that taught it come from one owner or one credential. */
  'not_independent',
  /** Its text reads like an instruction or turns a protection off, so that only a person verifies it. */
  'needs_person',
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
type UnresolvedReason = (typeof UNRESOLVED_REASONS)[number];

export type PromotionVerdict =
  | { readonly verified: true; readonly by: EvidenceKind; readonly evidence: readonly string[] }
  | { readonly verified: false; readonly because: UnresolvedReason; readonly evidence: readonly string[] };

interface VerdictSettings {
  /** Independent executions in which the remedy must have worked. */
  readonly executions: number;
  /** How many of these must be of other agents than the memory's own. */
  readonly otherAgents: number;
  /** Distinct stated owners of the agents of these executions and of the one that taught the memory. */
  readonly owners: number;
  /** Distinct reporters of the same executions, as they authenticated. */
  readonly credentials: number;
}

export interface VerdictInput {
  /** The memory's agent; null for a memory of a role or a department. */
  readonly agentId: string | null;
  /** Who reported the execution that taught it; undefined if none did. */
  readonly taughtBy: Witness | undefined;
  /** Whether its text carries an instruction or a danger: only a person verifies such a memory. */
  readonly needsPerson: boolean;
  readonly evidence: readonly ProvenanceEvidence[];
  /** The memories that it rests on, without itself. */
  readonly grounds: readonly Omit<Derivation, 'root' | 'scope'>[];
}

type Inconclusive = 'not_enough_evidence' | 'not_independent';
type Ruling = Majority | Inconclusive;

const isInconclusive = (ruling: Ruling): ruling is Inconclusive =>
  ruling === 'not_enough_evidence' || ruling === 'not_independent';

/**
 * Returns whether the evidence verifies a memory. The strongest kind of evidence that is conclusive decides; weaker
 * kinds cannot change that. Without evidence, a memory is not verified.
 */
export function evaluateEvidence(input: VerdictInput, settings: VerdictSettings): PromotionVerdict {
  let inconclusive: Inconclusive | undefined;
  for (const kind of EVIDENCE_ORDER) {
    const evidence = latestBySource(input.evidence.filter((one) => one.kind === kind));
    const ruling = rulingOf(kind, evidence, input, settings);
    if (ruling === undefined) continue;
    // A weaker kind may decide.
    if (isInconclusive(ruling)) {
      inconclusive = inconclusive === 'not_independent' ? inconclusive : ruling;
      continue;
    }
    const ids = deciding(kind, evidence).map(({ id }) => id);
    if (ruling === 'contradicts') return { verified: false, because: 'contradicted', evidence: ids };
    if (ruling === 'conflicting_evidence') return { verified: false, because: ruling, evidence: ids };
    if (restsOnUnverified(input, kind)) return { verified: false, because: 'derived_from_unverified', evidence: ids };
    if (input.needsPerson && kind !== 'person') return { verified: false, because: 'needs_person', evidence: ids };
    return { verified: true, by: kind, evidence: ids };
  }
  const lacking = input.needsPerson ? 'needs_person' : (inconclusive ?? 'no_evidence');
  return {
    verified: false,
    because: unverifiedGrounds(input).length > 0 ? 'derived_from_unverified' : lacking,
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
  const { majority, supporting } = majorityOfVoices(evidence);
  if (majority !== 'supports') return majority ?? 'not_enough_evidence';
  const whole = supporting.filter((one) => one.whole);
  const others = new Set(whole.flatMap(({ agentId }) => (agentId && agentId !== input.agentId ? [agentId] : [])));
  if (whole.length < settings.executions || others.size < settings.otherAgents) return 'not_enough_evidence';
  const { owners, credentials } = independentSources([...whole, ...(input.taughtBy ? [input.taughtBy] : [])]);
  return owners >= settings.owners && credentials >= settings.credentials ? 'supports' : 'not_independent';
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

/** Who reported an execution, as recorded with it. */
export interface Witness {
  /** The stated owner of the agent; null if none was stated. */
  readonly owner: string | null;
  /** The agent, service or person that authenticated, never the agent that a report names. */
  readonly reporterId: string | null;
}

/** What one voice, or all of them together, say. */
type Majority = 'supports' | 'contradicts' | 'conflicting_evidence';

/** If one result is this many times as frequent as the other, the exceptions count as noise. */
const CLEAR_MAJORITY = 4;

/** Returns the number of distinct owners and credentials. An agent without a stated owner may belong to any of them. */
function independentSources(witnesses: readonly Witness[]): { owners: number; credentials: number } {
  const stated = witnesses.filter(({ owner }) => owner !== null);
  return {
    owners: new Set(stated.map(voiceOf)).size,
    credentials: new Set(stated.flatMap(({ reporterId }) => reporterId ?? [])).size,
  };
}

/**
 * Returns what most owners say, and the results of those who support it. All reports of one owner are one voice,
 * however many agents, credentials and executions it has: many reports of one do not outweigh one of another.
 */
function majorityOfVoices<W extends Witness & { readonly stance: EvidenceStance }>(
  results: readonly W[],
): { majority: Majority | undefined; supporting: W[] } {
  const said = [...groupsOf(results, voiceOf).values()].map((of) => ({
    of,
    says: majorityOf(of.map(({ stance }) => stance)),
  }));
  return {
    majority: majorityOf(said.map(({ says }) => says)),
    supporting: said
      .filter(({ says }) => says === 'supports')
      .flatMap(({ of }) => of.filter(({ stance }) => stance === 'supports')),
  };
}

const voiceOf = ({ owner, reporterId }: Witness): string =>
  owner === null ? `reporter ${reporterId}` : `owner ${owner.toLowerCase()}`;

/** One contradiction is enough for doubt, unless four times as many support the memory. Undefined if none says anything. */
function majorityOf(stances: readonly (EvidenceStance | Majority | undefined)[]): Majority | undefined {
  const count = (wanted: Majority) => stances.filter((stance) => stance === wanted).length;
  const [supports, contradicts, conflicting] = [count('supports'), count('contradicts'), count('conflicting_evidence')];
  const doubts = contradicts + conflicting;
  if (supports > 0 && supports >= CLEAR_MAJORITY * doubts) return 'supports';
  if (contradicts > 0 && contradicts >= CLEAR_MAJORITY * (supports + conflicting)) return 'contradicts';
  return doubts > 0 ? 'conflicting_evidence' : undefined;
}
