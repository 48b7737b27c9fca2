import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SkillWatch } from '../../src/effect/skill-watch.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { approvedSkill } from '../support/skills.js';

const AGENTS = 12;
const EACH = 20;

describe('a lesson that harms after failures', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  /** Judged deliveries of twelve agents in each arm. */
  async function deliver(skillName: string, overcome: { delivered: number; withheld: number }): Promise<void> {
    const live = await app.database.client.memory.findFirstOrThrow({ where: { skillName, supersededAt: null } });
    const at = app.clock.now();
    const data = (['delivered', 'withheld'] as const).flatMap((arm) =>
      Array.from({ length: AGENTS }, () => randomUUID()).flatMap((agentId) =>
        Array.from({ length: EACH }, (_, n) => ({
          id: randomUUID(),
          memoryId: live.id,
          skillName,
          version: 1,
          agentId,
          session: `id~${n}`,
          harness: 'codex',
          moment: 'failure',
          shape: `shape ${n}`,
          arm,
          at,
          judgedAt: at,
          followed: arm === 'delivered',
          overcome: n < overcome[arm],
        })),
      ),
    );
    await app.database.client.delivery.createMany({ data });
  }

  const requests = async (skillName: string) => {
    await app.app.get(SkillWatch).checkSkills();
    const { items } = await app.admin.proposals.list({ limit: 100 });
    return items.filter((one) => one.kind === 'retire' && one.skillName === skillName);
  };

  it('is requested to be retired, with its figures', async () => {
    const name = await approvedSkill(app, 'Write the long name');
    await app.admin.skills.rollout(name, 25);
    await deliver(name, { delivered: 4, withheld: 16 });
    const [request] = await requests(name);
    expect(request).toMatchObject({ state: 'pending', kind: 'retire' });
    const { request: why } = await app.admin.proposals.show(request?.id ?? '');
    expect(why).toMatchObject({ reason: 'harm', effect: { verdict: 'harms' } });
  });

  it('is left alone while it helps', async () => {
    const name = await approvedSkill(app, 'Write the short name');
    await app.admin.skills.rollout(name, 25);
    await deliver(name, { delivered: 16, withheld: 4 });
    expect(await requests(name)).toEqual([]);
    const { moments } = await app.admin.skills.effect(name);
    expect(moments).toMatchObject([{ moment: 'failure', figures: { verdict: 'helps' } }]);
  });
});
