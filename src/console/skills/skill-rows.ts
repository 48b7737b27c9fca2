import { sumBy } from '../../platform/base/sum.js';
import type { SkillSummary } from '../../skills/catalogue/skills.schema.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

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
      ...(end === undefined ? {} : { reaches: say('skills.ended-when', { when: moment(end, now).says }) }),
      bars,
      width: parts * STEP,
      height: HEIGHT,
      says: say('skills.weeks', { n, weeks: parts }),
    };
  });
}

/** A skill as a row of the list. */
export function skillRow(skill: SkillSummary, now: Date) {
  const { name, version, discovery, proposalId, approvedBy, approvedAt, applicationCount, lastAppliedAt } = skill;
  const used = { n: applicationCount, when: lastAppliedAt === null ? '' : moment(lastAppliedAt, now).says };
  return {
    name,
    version,
    discovery,
    proposalId,
    approved: say('skills.approved-by', { by: approvedBy, when: moment(approvedAt, now).says }),
    used: applicationCount === 0 ? say('skills.never') : say('skills.times', used),
    reaches: say('skills.percent', { n: skill.percent }),
    commit: skill.publication.commit?.slice(0, 10) ?? say('skills.waits'),
  };
}
