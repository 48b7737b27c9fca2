import type { Evidence, EvidenceKind } from '../memory/provenance/evidence.schema.js';
import type { Ground } from '../memory/store/ground.js';

/**
 * The order of evidence (spec R6, source [004] rule 4): a person's word stands above a primary source, that above what
 * tools do, and that above a second model. The assertion that a memory is stands below all of them, however confident.
 */
export const EVIDENCE_ORDER: readonly EvidenceKind[] = ['person', 'primary_source', 'tool_result', 'second_model'];

export const UNRESOLVED = [
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
  'rests_on_unverified',
  /** The second model could not be asked; it is asked again. */
  'verifier_away',
  /** The second model was asked as often as it may be in a day. */
  'verifier_over_budget',
] as const;
export type Unresolved = (typeof UNRESOLVED)[number];

export type Verdict =
  | { readonly verified: true; readonly by: EvidenceKind; readonly evidence: readonly string[] }
  | { readonly verified: false; readonly because: Unresolved; readonly evidence: readonly string[] };

export interface VerdictSettings {
  /** Independent executions in which the remedy has to have worked. */
  readonly executions: number;
  /** How many other agents than the memory's own have to be among them. */
  readonly otherAgents: number;
  /** Distinct owners of all the agents, the memory's own included. */
  readonly owners: number;
}

export interface Standing {
  /** Whose memory it is, and whose agent; null for one of a role or a department. */
  readonly agentId: string | null;
  readonly owner: string | null;
  readonly evidence: readonly Evidence[];
  /** What it rests on, itself left out. */
  readonly grounds: readonly Omit<Ground, 'root' | 'scope'>[];
}

/** So many times as often as the other way, and the exception is taken for noise. */
const CLEARLY = 4;

type Ruling = 'supports' | 'contradicts' | 'conflicting_evidence' | 'not_enough_evidence';

/**
 * Whether the evidence verifies a memory (spec R6). The highest kind of evidence that says something decides, and what
 * stands below it cannot change that. Without any, the memory is not verified: that has to be earned.
 */
export function verdictOf(standing: Standing, settings: VerdictSettings): Verdict {
  let some = false;
  for (const kind of EVIDENCE_ORDER) {
    const evidence = latest(standing.evidence.filter((one) => one.kind === kind));
    const ruling = rulingOf(kind, evidence, standing, settings);
    if (ruling === undefined) continue;
    some = true;
    // Too little to decide, so that lower evidence may.
    if (ruling === 'not_enough_evidence') continue;
    const ids = deciding(kind, evidence).map(({ id }) => id);
    if (ruling === 'contradicts') return { verified: false, because: 'contradicted', evidence: ids };
    if (ruling === 'conflicting_evidence') return { verified: false, because: ruling, evidence: ids };
    if (restsOnUnverified(standing, kind)) return { verified: false, because: 'rests_on_unverified', evidence: ids };
    return { verified: true, by: kind, evidence: ids };
  }
  const because = some ? 'not_enough_evidence' : 'no_evidence';
  return { verified: false, because: badGrounds(standing).length > 0 ? 'rests_on_unverified' : because, evidence: [] };
}

/** Of each source its last word, in the order of those words. */
const latest = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(({ source }, at) => !evidence.slice(at + 1).some((later) => later.source === source));

function rulingOf(
  kind: EvidenceKind,
  evidence: readonly Evidence[],
  standing: Standing,
  settings: VerdictSettings,
): Ruling | undefined {
  if (evidence.length === 0) return undefined;
  if (kind === 'tool_result') return byTools(evidence, standing, settings);
  // Of two people, and of two models, the later one.
  const last = evidence.at(-1);
  if (last === undefined || last.stance === 'unsure') return 'not_enough_evidence';
  if (last.stance === 'supports' && !last.whole) return 'not_enough_evidence';
  return last.stance;
}

/** The word of a person is their last one; of tools every execution counts. */
const deciding = (kind: EvidenceKind, evidence: readonly Evidence[]): readonly Evidence[] =>
  kind === 'tool_result' ? evidence : evidence.slice(-1);

function byTools(evidence: readonly Evidence[], standing: Standing, settings: VerdictSettings): Ruling {
  const supporting = evidence.filter(({ stance }) => stance === 'supports');
  const contradicting = evidence.filter(({ stance }) => stance === 'contradicts').length;
  // One failure is enough to doubt, and one in five is not.
  if (contradicting > 0 && supporting.length < CLEARLY * contradicting)
    return supporting.length === 0 || contradicting >= CLEARLY * supporting.length
      ? 'contradicts'
      : 'conflicting_evidence';
  const whole = supporting.filter((one) => one.whole);
  const others = new Set(whole.flatMap(({ agentId }) => (agentId && agentId !== standing.agentId ? [agentId] : [])));
  const owners = new Set([...whole.flatMap(({ owner }) => owner ?? []), ...(standing.owner ? [standing.owner] : [])]);
  const enough =
    whole.length >= settings.executions && others.size >= settings.otherAgents && owners.size >= settings.owners;
  return enough ? 'supports' : 'not_enough_evidence';
}

type GroundOf = Standing['grounds'][number];

const isBad = ({ provenance, ended }: GroundOf): boolean => provenance !== 'verified' || ended;
const badGrounds = ({ grounds }: Standing): GroundOf[] => grounds.filter(isBad);

/**
 * A conclusion is worth no more than what it rests on. A person who verified it knew that; what was taken back after
 * their word they did not know.
 */
function restsOnUnverified(standing: Standing, by: EvidenceKind): boolean {
  const bad = badGrounds(standing);
  if (by !== 'person') return bad.length > 0;
  const word = standing.evidence.filter(({ kind }) => kind === 'person').at(-1);
  const spoken = word === undefined ? 0 : Date.parse(word.at);
  return bad.some(({ ended, endedAt }) => ended && (endedAt === null || endedAt.getTime() > spoken));
}
