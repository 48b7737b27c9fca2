import type { MemoryEntry } from '../memory/memory.schema.js';
import type { SkillEffect } from '../skills/effect.schema.js';
import type { Skill, SkillSummary } from '../skills/skills.schema.js';
import { filesShown } from './artifact-lines.js';
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

interface SkillFacts {
  readonly skill: Skill;
  readonly versions: readonly MemoryEntry[];
  readonly effect: SkillEffect;
  readonly canRetire: boolean;
  readonly now: Date;
}

/** A skill with its whole life: every version, what it does, its commits. */
export function skillView({ skill, versions, effect, canRetire, now }: SkillFacts) {
  return {
    ...skillRow(skill, now),
    canRetire,
    files: filesShown(skill.artifact),
    effect: {
      says: effect.says,
      arms: [
        { label: say('skill.with'), ...armOf(effect.figures.with) },
        { label: say('skill.without'), ...armOf(effect.figures.without) },
      ],
      uses: say('skill.uses', { ...effect.uses }),
    },
    versions: [...versions].reverse().map((entry) => ({
      says: say('skill.version-line', { n: entry.version ?? 1 }),
      approvalId: entry.approvalId,
      since: moment(entry.createdAt, now),
      state:
        entry.supersededAt === null
          ? say('skill.live')
          : say('skill.superseded', { when: moment(entry.supersededAt, now).says }),
    })),
    commits: skill.history.slice(0, 20).map(({ commit, author, when, subject }) => ({
      ...{ commit: commit.slice(0, 10), author, when, subject },
    })),
  };
}

function armOf({ executions, rate }: SkillEffect['figures']['with']) {
  const percent = rate === null ? 0 : Math.round(rate * 100);
  return {
    bar: percent * 2,
    says: rate === null ? say('skill.no-runs') : say('skill.rate', { rate: percent, n: executions }),
  };
}
