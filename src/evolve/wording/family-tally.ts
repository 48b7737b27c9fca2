import type { FamilyFindings } from '../examination/family-examination.js';
import type { FamilyCounts } from './family-counts.schema.js';

/** What refused an answer about a family first; undefined if nothing did. */
function rejectionOf({ writing }: FamilyFindings): string | undefined {
  if (!writing || writing.declined || writing.candidates.length > 0) return undefined;
  const { rejected, answer } = writing;
  if (!answer.answer) return 'unreadable';
  if (rejected?.problem !== undefined) return 'predicate';
  return rejected?.findings.find(({ severity }) => severity === 'refuse')?.gate ?? rejected?.findings[0]?.gate;
}

/** Counts what was answered about the examined families. `drafts`: lessons of a model that could not become a draft. */
export function familyCounts(
  findings: readonly FamilyFindings[],
  drafts: number,
): Pick<FamilyCounts, 'lessons' | 'declined' | 'rejected'> {
  const [declined, rejected]: Record<string, number>[] = [{}, {}];
  const add = (to: Record<string, number> = {}, name: string | undefined): void => {
    if (name !== undefined) to[name] = (to[name] ?? 0) + 1;
  };
  for (const one of findings) {
    add(declined, one.writing?.declined?.kind);
    add(rejected, rejectionOf(one));
  }
  return {
    lessons: findings.filter(({ writing }) => writing !== undefined && writing.candidates.length > 0).length,
    declined: declined ?? {},
    rejected: { ...rejected, ...(drafts > 0 ? { draft: drafts } : {}) },
  };
}
