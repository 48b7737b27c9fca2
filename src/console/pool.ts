import type { SkillSummary } from '../skills/skills.schema.js';
import { say } from './texts.js';
import { moment } from './times.js';

/** A live skill as a row of the pool. */
export function skillRow(skill: SkillSummary, now: Date) {
  const { name, version, discovery, approvalId, approvedBy, approvedAt, applicationCount, lastAppliedAt } = skill;
  const used = { n: applicationCount, when: lastAppliedAt === null ? '' : moment(lastAppliedAt, now).says };
  return {
    ...{ name, version, discovery, approvalId },
    approved: say('skills.approved-by', { by: approvedBy, when: moment(approvedAt, now).says }),
    used: applicationCount === 0 ? say('skills.never') : say('skills.times', used),
    reaches: say('skills.percent', { n: skill.percent }),
    commit: skill.publication.commit?.slice(0, 10) ?? say('skills.waits'),
  };
}
