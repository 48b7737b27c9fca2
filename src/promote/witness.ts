import type { EvidenceStance } from '../memory/provenance/evidence.schema.js';
import { groupsOf } from '../platform/base/sum.js';

/** Who reported an execution, as recorded with it. */
export interface Witness {
  /** The stated owner of the agent; null if none was stated. */
  readonly owner: string | null;
  /** The agent, service or person that authenticated, never the agent that a report names. */
  readonly reporterId: string | null;
}

/** What one voice, or all of them together, say. */
export type Majority = 'supports' | 'contradicts' | 'conflicting_evidence';

/** If one result is this many times as frequent as the other, the exceptions count as noise. */
const CLEAR_MAJORITY = 4;

/** Returns the number of distinct owners and credentials. An agent without a stated owner may belong to any of them. */
export function independentSources(witnesses: readonly Witness[]): { owners: number; credentials: number } {
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
export function majorityOfVoices<W extends Witness & { readonly stance: EvidenceStance }>(
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
