import { compareText } from '../../platform/base/compare-text.js';
import type { ApprovedSkill } from './approved-skill.js';
import { isSameLesson, type ReadSkill } from './same-lesson.js';

/** Two skills that say the same: the one that stays, and the one that goes. */
export interface SkillMerge {
  readonly keep: ApprovedSkill;
  readonly retire: ApprovedSkill;
}

/**
 * Finds the skills that say the same as another one. Each of them goes into the best of those that stay, so that no skill is
 * both kept and retired. The order of the skills says nothing.
 */
export class MergeFinder {
  private readonly kept = new Map<string, ReadSkill[]>();
  private readonly merges: SkillMerge[] = [];

  /** Takes the skills in the order of {@link compareSkills}, the best first. */
  add(read: ReadSkill): void {
    const near = new Set(read.keys.flatMap((key) => this.kept.get(key) ?? []));
    const [keep] = [...near]
      .filter((other) => isSameLesson(other, read))
      .sort((a, b) => compareSkills(a.skill, b.skill));
    if (keep) {
      this.merges.push({ keep: keep.skill, retire: read.skill });
      return;
    }
    for (const key of read.keys) {
      const known = this.kept.get(key);
      if (known) known.push(read);
      else this.kept.set(key, [read]);
    }
  }

  result(): readonly SkillMerge[] {
    return this.merges;
  }
}

/**
 * The better evidenced skill first: one for all groups, a confirmed one, of more agents, of more executions; then the one
 * that was approved more often, and by name.
 */
export function compareSkills(a: ApprovedSkill, b: ApprovedSkill): number {
  const isForAll = ({ audience }: ApprovedSkill): number => Number(audience.length === 0);
  return (
    isForAll(b) - isForAll(a) ||
    Number(b.isConfirmed) - Number(a.isConfirmed) ||
    b.agents - a.agents ||
    b.executions - a.executions ||
    b.version - a.version ||
    compareText(a.skillName, b.skillName)
  );
}

/** Why one of two skills stays, for the reviewer. */
export function mergeInWords({ keep, retire }: SkillMerge): string {
  const evidence = ({ agents, executions }: ApprovedSkill): string =>
    `${count(agents, 'agent')} in ${count(executions, 'execution')}`;
  const wider = keep.audience.length < retire.audience.length && keep.audience.length === 0;
  const because = wider
    ? 'it was learned from the whole organisation'
    : keep.isConfirmed !== retire.isConfirmed
      ? 'later executions confirmed it, and this one was only observed'
      : keep.agents !== retire.agents || keep.executions !== retire.executions
        ? 'more evidence is behind it'
        : keep.version !== retire.version
          ? 'it was approved in more versions'
          : 'its name comes first, and the evidence is equal';
  return (
    `"${keep.skillName}" gives the same remedy for the same failures, and it stays because ${because}: ` +
    `${evidence(keep)}, here ${evidence(retire)}.`
  );
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
