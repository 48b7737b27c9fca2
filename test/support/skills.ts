import { type RolloutPercent, receives } from '../../src/skills/delivery/audience.js';
import type { TestApplication } from './application.js';
import { submitTestProposal } from './proposal-input.js';

/** A skill that a person approved and that is in git: where a test is about what follows. */
export async function approvedSkill(app: TestApplication, title: string): Promise<string> {
  const { id, artifactSha256, skillName } = await submitTestProposal(app, title);
  await app.admin.proposals.approve(id, artifactSha256);
  await app.settled();
  return skillName;
}

export type TestAgent = Awaited<ReturnType<TestApplication['agent']>> & { readonly name: string };

/** `count` agents that receive the skill at this stage and as many that do not: ids are random, so some are registered for it. */
export async function bothSides(app: TestApplication, skill: string, percent: RolloutPercent, count: number) {
  const sides = { inside: [] as TestAgent[], outside: [] as TestAgent[] };
  for (let n = 0; sides.inside.length < count || sides.outside.length < count; n += 1) {
    const name = `${skill.slice(0, 40)} agent ${n}`;
    const agent = { name, ...(await app.agent(name)) };
    const side = receives(percent, skill, agent.id) ? sides.inside : sides.outside;
    if (side.length < count) side.push(agent);
  }
  return sides;
}
