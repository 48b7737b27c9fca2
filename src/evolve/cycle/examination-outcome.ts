import type { GateFinding } from '../../evidence/gates/gated-lesson.js';
import type { CheckedCandidate, Family } from '../evidence/candidate.js';
import { type DropReason, dropReasonOf } from '../examination/drop-reason.js';
import type { ExaminedCandidate } from '../examination/examined-candidate.js';
import type { FamilyFindings } from '../examination/family-examination.js';
import type { Lesson } from '../examination/lesson.js';
import type { Examination, FamilySummary } from './candidate-outcome.js';

/** What identifies a candidate of a family in a cycle. */
export const candidateKey = (
  { fingerprint }: Pick<Family, 'fingerprint'>,
  { key }: Pick<ExaminedCandidate, 'key'>,
): string => `${fingerprint} ${key}`;

/** What the gates found, in sentences. */
export const sentencesOf = (found: readonly GateFinding[]): string[] =>
  found.map(({ part, text, reason }) => `${part}: ${text}: ${reason}`);

/**
 * What a cycle examined, with the reason why a candidate became no draft. `refused`: the candidates that have no words, or that the gates refused, with what these
 * found.
 */
export function examinationOf(
  families: readonly Family[],
  findings: readonly FamilyFindings[],
  lessons: readonly Lesson[],
  refused: ReadonlyMap<string, readonly string[]>,
): Examination {
  const main = new Set(lessons.map((lesson) => candidateKey(lesson.findings.family, lesson.main)));
  const members = new Set(
    lessons.flatMap((lesson) => lesson.members.map((one) => candidateKey(one.findings.family, one.candidate))),
  );
  const reasonOf = ({ check, isManaged }: ExaminedCandidate, key: string): DropReason | null => {
    const found = refused.get(key);
    const reason = dropReasonOf(check, found ?? []);
    if (reason !== null) return reason;
    if (isManaged) return 'managed';
    if (found) return 'no_words';
    return main.has(key) ? null : members.has(key) ? 'merged' : 'too_few_agents';
  };
  const all = findings.map((one) => ({ ...one, summary: summaryOf(one.family) }));
  return {
    families: families.length,
    examined: all.map(({ summary, dossier }) => ({ family: summary, dossier })),
    candidates: all.flatMap(({ family, summary, candidates, examined }) =>
      candidates.map((one) => {
        const key = candidateKey(family, one);
        return {
          family: summary,
          examined,
          findings: refused.get(key) ?? [],
          candidate: checkedOf(one),
          because: reasonOf(one, key),
        };
      }),
    ),
  };
}

function checkedOf(one: ExaminedCandidate): CheckedCandidate {
  const { key, how, action, label, taught, avoided, predicate, check, binding } = one;
  return { key, how, action, label, taught, avoided, predicate, check, binding };
}

function summaryOf({ evidence, value, ...family }: Family): FamilySummary {
  const { fingerprint, fingerprints, signature, tools, actions, errorClasses } = family;
  return {
    fingerprint,
    fingerprints,
    signature,
    tools,
    actions,
    errorClasses,
    counts: evidence.counts(),
    ...(value === undefined ? {} : { value }),
  };
}
