import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import type { GateFinding } from '../../evidence/gates/gated-lesson.js';
import { type Check, pairOf, VERDICTS } from '../../evidence/predicate/check.schema.js';
import { predicateInWords } from '../../evidence/predicate/predicate-words.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import type { Family } from '../evidence/candidate.js';
import { type DropReason, dropReasonOf } from '../examination/drop-reason.js';
import type { ExaminedCandidate, FamilyFindings } from '../examination/family-examination.js';
import type { Lesson } from '../examination/lesson.js';
import { type CandidateRow, type FamilyRow, NO_CANDIDATES, type StoredFamily } from './candidates.schema.js';
import type { CycleReport } from './cycles.schema.js';

/** What a cycle examined, beside its drafts. */
export interface Examination {
  /** Families of the window, of whatever number of agents. */
  readonly families: number;
  /** Families whose executions were read. */
  readonly examined: number;
  /** Their dossiers, those of the most executions first, at most {@link MOST_ROWS}. */
  readonly stored: readonly StoredFamily[];
  readonly candidates: CycleReport['candidates'];
  /** First those that became no draft, the strongest verdict and the most executions first; at most {@link MOST_ROWS}. */
  readonly rows: readonly CandidateRow[];
  /** Why lessons are refuted, by the fingerprints of their family and action. */
  readonly refutations: ReadonlyMap<string, Check>;
}

/** Candidates and families that a cycle stores; the others are counted only. */
const MOST_ROWS = 200;
const LONGEST = { signature: 200, name: 120, finding: 300 } as const;
const MOST_NAMES = 8;

/** What identifies a candidate of a family in a cycle. */
export const candidateKey = (
  { fingerprint }: Pick<Family, 'fingerprint'>,
  { key }: Pick<ExaminedCandidate, 'key'>,
): string => `${fingerprint} ${key}`;

/** What the gates found, in sentences. */
export const sentencesOf = (found: readonly GateFinding[]): string[] =>
  found.map(({ part, text, reason }) => `${part}: ${text}: ${reason}`);

/**
 * What a cycle examined, with the reason why a candidate became no draft. `refused`: the candidates that have no words, or
 * that the gates refused, with what these found.
 */
export function examinationOf(
  families: readonly Family[],
  all: readonly FamilyFindings[],
  lessons: readonly Lesson[],
  refused: ReadonlyMap<string, readonly string[]>,
): Examination {
  const reasonOf = becauseOf(lessons, refused);
  const examined = all.map((one) => ({ ...one, row: familyRow(one.family) }));
  const candidates = { ...NO_CANDIDATES };
  for (const { check } of all.flatMap((one) => one.candidates)) candidates[check.verdict] += 1;
  const rows = examined.flatMap(({ family, row, examined: read, candidates: own }) =>
    own.map((one): CandidateRow => {
      const { how, label, predicate, check, binding } = one;
      const key = candidateKey(family, one);
      return {
        id: `sha256:${sha256(canonicalJson([family.fingerprint, one.key]))}`,
        family: row,
        how,
        action: nameOf(label),
        predicate,
        words: predicateInWords(predicate),
        verdict: check.verdict,
        ...pairOf(check),
        because: reasonOf(one, key),
        findings: (refused.get(key) ?? []).slice(0, MOST_NAMES).map((finding) => clip(finding, LONGEST.finding)),
        examined: read,
        check,
        binding,
      };
    }),
  );
  const stored = examined.map(({ row, dossier }) => ({ family: row, dossier }));
  return {
    families: families.length,
    examined: all.length,
    stored: stored.sort(byExecutions).slice(0, MOST_ROWS),
    candidates,
    rows: rows.sort(byInterest).slice(0, MOST_ROWS),
    refutations: refutationsOf(all),
  };
}

function becauseOf(lessons: readonly Lesson[], refused: ReadonlyMap<string, readonly string[]>) {
  const main = new Set(lessons.map((lesson) => candidateKey(lesson.findings.family, lesson.main)));
  const members = new Set(
    lessons.flatMap((lesson) => lesson.members.map((one) => candidateKey(one.findings.family, one.candidate))),
  );
  return ({ check, isManaged }: ExaminedCandidate, key: string): DropReason | null => {
    const found = refused.get(key);
    const reason = dropReasonOf(check, found ?? []);
    if (reason !== null) return reason;
    if (isManaged) return 'managed';
    if (found) return 'no_words';
    return main.has(key) ? null : members.has(key) ? 'merged' : 'too_few_agents';
  };
}

function familyRow({ fingerprint, signature, tools, actions, evidence }: Family): FamilyRow {
  const { agents, executions, failures } = evidence.counts();
  return {
    fingerprint,
    signature: clip(generalise(signature), LONGEST.signature),
    tools: tools.slice(0, MOST_NAMES).map(nameOf),
    actions: actions.slice(0, MOST_NAMES).map(nameOf),
    agents,
    executions,
    failures,
  };
}

const nameOf = (name: string): string => clip(generalise(name), LONGEST.name);

/** Another form of the same action may hold: then nothing is refuted. */
function refutationsOf(all: readonly FamilyFindings[]): Map<string, Check> {
  const refuting = new Map<string, Check>();
  const holding = new Set<string>();
  for (const { family, candidates } of all)
    for (const { how, action, check } of candidates) {
      const key = `${family.fingerprint} ${actionFingerprint(how, action)}`;
      if (check.verdict !== 'refuted') holding.add(key);
      else refuting.set(key, check);
    }
  for (const key of holding) refuting.delete(key);
  return refuting;
}

const byExecutions = ({ family: a }: StoredFamily, { family: b }: StoredFamily): number =>
  b.executions - a.executions || compareText(a.fingerprint, b.fingerprint);

function byInterest(a: CandidateRow, b: CandidateRow): number {
  return (
    Number(a.because === null) - Number(b.because === null) ||
    VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
    b.examined - a.examined ||
    compareText(a.family.signature, b.family.signature) ||
    compareText(a.id, b.id)
  );
}
