import { sumBy } from '../../platform/base/sum.js';
import type { SkillSummary } from '../../skills/catalogue/skills.schema.js';
import { counted } from '../frame/quantity.js';
import { moment } from '../frame/times.js';

/** The size of the chart in a row, in units of its view box. */
const [STEP, HEIGHT] = [8, 20];

interface AppliedCount {
  readonly skillName: string;
  readonly part: number;
  readonly uses: number;
}

/**
 * The rows of a page of skills. The charts share one scale so that rows can be compared. `endedAt` holds the end of
 * retired and replaced skills by name.
 */
export function skillRows(
  skills: readonly SkillSummary[],
  applied: readonly AppliedCount[],
  { parts, endedAt }: { readonly parts: number; readonly endedAt: ReadonlyMap<string, string> },
  now: Date,
) {
  const most = Math.max(1, ...applied.map(({ uses }) => uses));
  return skills.map((skill) => {
    const own = applied.filter(({ skillName }) => skillName === skill.name);
    const bars = own.map(({ part, uses }) => {
      const height = Math.max(2, Math.round((uses / most) * HEIGHT));
      return { x: part * STEP, y: HEIGHT - height, height };
    });
    const n = sumBy(own, ({ uses }) => uses);
    const end = endedAt.get(skill.name);
    return {
      ...skillRow(skill, now),
      ...(end === undefined ? {} : { reaches: `ended ${moment(end, now).says}` }),
      bars,
      width: parts * STEP,
      height: HEIGHT,
      says: `applied ${counted(n, 'time')} in the last ${counted(parts, 'week')}`,
    };
  });
}

export const approvedText = (by: string, at: string, now: Date): string => `by ${by} ${moment(at, now).says}`;

export const shareText = (percent: number): string => `${percent} % of agents`;

export const commitText = (commit: string | null | undefined): string => commit?.slice(0, 10) ?? 'not in git yet';

/** A skill as a row of the list. */
export function skillRow(skill: SkillSummary, now: Date) {
  const { name, version, discovery, proposalId, approvedBy, approvedAt, applicationCount, lastAppliedAt } = skill;
  const last = lastAppliedAt === null ? '' : moment(lastAppliedAt, now).says;
  return {
    name,
    version,
    discovery,
    proposalId,
    approved: approvedText(approvedBy, approvedAt, now),
    used: applicationCount === 0 ? 'never' : `${counted(applicationCount, 'time')}, last ${last}`,
    reaches: shareText(skill.percent),
    commit: commitText(skill.publication.commit),
  };
}
