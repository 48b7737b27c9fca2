import { type RolloutPercent, receives } from '../../src/skills/delivery/audience.js';
import type { TestApplication } from './application.js';
import { submitTestProposal } from './proposal-input.js';

/** Approves and publishes a skill, for tests of later steps. Returns its name. */
export async function approvedSkill(app: TestApplication, title: string): Promise<string> {
  const { id, artifactSha256, skillName } = await submitTestProposal(app, title);
  await app.admin.proposals.approve(id, artifactSha256);
  await app.settled();
  return skillName;
}

export type TestAgent = Awaited<ReturnType<TestApplication['agent']>> & { readonly name: string };

/**
 * Returns `count` agents inside and `count` agents outside the rollout. Ids are random, so agents are registered until both
 * groups are complete.
 */
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
