import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { JournalChecks } from '../../src/console/activity/journal-checks.service.js';
import { JournalAudit } from '../../src/journal/journal-audit.service.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded, formOf } from '../support/console.js';
import { pythonReport, reportPythonFleet } from '../support/fleet.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { approvedSkill } from '../support/skills.js';

describe('the other pages of the console', () => {
  let app: TestApplication;
  let reviewer: Awaited<ReturnType<typeof Console.signedIn>>;
  let reader: Awaited<ReturnType<typeof Console.signedIn>>;

  beforeAll(async () => {
    app = await startTestApplication();
    reviewer = await Console.signedIn(app, 'Rita Reviewer', { reviewer: true });
    reader = await Console.signedIn(app, 'Ron Reader', {});
  });
  afterAll(() => app.close());

  it('explain how to begin while they are empty', async () => {
    expect((await reader.get('/skills')).text).toContain('No skill is live yet.');
    expect((await reader.get('/cycles')).text).toContain('No cycle has run yet.');
    expect((await reader.get('/fleet')).text).toContain('guildbook connect claude-code');
  });

  it('list skills by name, and search them literally', async () => {
    const names = [];
    for (const title of ['alpha skill', 'beta skill', 'gamma skill']) names.push(await approvedSkill(app, title));
    const all = (await reader.get('/skills')).text;
    expect(all).toContain('3 approved skills');
    expect(names.map((name) => all.indexOf(`/skills/${name}"`))).toEqual(
      names.map((name) => all.indexOf(`/skills/${name}"`)).sort((a, b) => a - b),
    );
    const found = (await reader.get('/skills?q=BETA')).text;
    expect([found.includes('/skills/beta-skill'), found.includes('/skills/alpha-skill')]).toEqual([true, false]);
    expect((await reader.get('/skills?q=%25')).text).toContain('No skill matches this search.');
    expect((await reader.get('/skills?after=beta-skill')).text).not.toContain('/skills/beta-skill"');
  });

  it('show a skill with its file, its history and its commits, and let a reviewer retire it', async () => {
    const name = await approvedSkill(app, 'delta skill');
    const page = await reviewer.get(`/skills/${name}`);
    const { artifact, proposalId, publication } = await app.admin.skills.show(name);
    expect(page.text).toContain(artifact.split('\n')[1]?.replaceAll('"', '&quot;'));
    expect(page.text).toContain(publication.commit?.slice(0, 10));
    expect(page.text).toContain('Version 1 approved by Administrator');
    expect((await reader.get(`/skills/${name}`)).text).not.toContain(`/review/${proposalId}/retire`);
    const retired = await reviewer.post(`/review/${proposalId}/retire`, { reason: 'no longer true' });
    expect(retired.status).toBe(303);
    expect((await reviewer.get('/skills')).text).not.toContain(`/skills/${name}"`);
    await app.settled();
    const after = await reviewer.get(`/skills/${name}`);
    expect(after.status).toBe(200);
    expect(decoded(after.text)).toMatch(/Retired<\/h2>[\s\S]*by Rita Reviewer, [\s\S]*<p>no longer true<\/p>/);
    expect(after.text).toMatch(
      /Version 1 approved by Administrator[\s\S]*Retired by Rita Reviewer, commit [0-9a-f]{10}/,
    );
    expect(after.text).toContain(artifact.split('\n')[1]?.replaceAll('"', '&quot;'));
    expect(after.text).not.toMatch(/\/retire"|\/rollout"/);
    expect((await reader.get(`/skills/${name}`)).text).not.toContain(`/review/${proposalId}/reopen`);
    expect(after.text).toContain(`action="/review/${proposalId}/reopen"`);
    expect((await reviewer.post(`/review/${proposalId}/reopen`, { reason: 'true again' })).status).toBe(303);
    const [again] = (await app.admin.proposals.list()).items;
    expect(again).toMatchObject({ kind: 'new_skill', skillName: name });
    await app.admin.proposals.reject(again?.id ?? '', 'not now');
    expect((await reader.get('/skills')).text).toContain('1 retired or replaced');
    const ended = (await reader.get('/skills?ended=1')).text;
    expect([ended.includes(`/skills/${name}"`), ended.includes('/skills/alpha-skill"')]).toEqual([true, false]);
    expect((await reader.get('/skills?ended=1&q=alpha')).text).toContain('No skill matches this search.');
    expect((await reader.get('/skills/never-there')).status).toBe(404);
  });

  it('link a renamed skill to its new name', async () => {
    const name = await approvedSkill(app, 'zeta skill');
    const { id, artifactSha256 } = await app.admin.skills.rename(name, 'better-name');
    await app.admin.proposals.approve(id, artifactSha256);
    const form = formOf(await reviewer.get(`/review/${id}`), `/review/${id}/approve`);
    expect((await reviewer.post(`/review/${id}/approve`, form)).status).toBe(303);
    const page = decoded((await reader.get(`/skills/${name}`)).text);
    expect(page).toMatch(/Continued as better-name, [\s\S]*href="\/skills\/better-name"/);
  });

  it('show the history of a skill from the first failure on, compare its versions, and set its rollout', async () => {
    const name = await approvedSkill(app, 'epsilon skill');
    const { client } = await app.agent('user of epsilon');
    const at = app.clock.now().toISOString();
    for (const n of [1, 2]) await client.skills.use(name, { executionId: `run ${n}`, event: 'applied', at });
    const live = await app.database.client.memory.findFirstOrThrow({ where: { skillName: name, supersededAt: null } });
    const words = { action: 'Write another command altogether.' };
    const next = await submitTestProposal(
      app,
      'epsilon skill',
      { kind: 'supersede', supersedesId: live.id, skillName: name },
      words,
    );
    await app.admin.proposals.approve(next.id, next.artifactSha256);
    await app.settled();
    const page = (await reviewer.get(`/skills/${name}`)).text;
    expect(page).toMatch(
      /First failure[\s\S]*Version 1 approved[\s\S]*Version 2 approved[\s\S]*Now: version 2 is live/,
    );
    expect(page).toMatch(/aria-label="applied: 2 times"[\s\S]*?<rect/);
    expect((await reader.get('/skills')).text).toContain('aria-label="applied 2 times in the last 12 weeks"');
    const version = await reviewer.get(`/skills/${name}/versions/2`);
    expect(version.text).toMatch(
      /Changes from version 1 to version 2[\s\S]*<ins>[^<]*Write another command altogether/,
    );
    expect((await reviewer.get(`/skills/${name}/versions/1`)).text).toContain('First version');
    expect((await reviewer.get(`/skills/${name}/versions/3`)).status).toBe(404);
    expect((await reader.post(`/skills/${name}/rollout`, { percent: '25' })).status).toBe(403);
    expect((await app.admin.journal.list({ subject: name, action: 'proposal.refused' })).items).toMatchObject([
      { subject: { type: 'skill' }, data: { code: 'access.scope_missing' } },
    ]);
    expect((await reviewer.post(`/skills/${name}/rollout`, { percent: '7' })).status).toBe(400);
    expect((await reviewer.post(`/skills/${name}/rollout`, { percent: '25' })).to).toBe(`/skills/${name}`);
    expect((await app.admin.skills.show(name)).percent).toBe(25);
    const after = (await reviewer.get(`/skills/${name}`)).text;
    expect(after).toContain('Rita Reviewer set the rollout to 25 % of agents');
    expect((await reader.get(`/skills/${name}`)).text).not.toContain('/rollout"');
  });

  it('show reported executions with their agent and tool calls, as stored', async () => {
    await reportPythonFleet(app, ['one', 'two', 'three']);
    const { client } = await app.agent('hostile agent');
    const hostile = '<script>alert(1)</script> \u202e';
    const toolCalls = [{ name: 'Bash', action: hostile, ok: false, errorMessage: hostile }];
    const { id } = await client.executions.report({ ...pythonReport(app, 'odd'), taskTitle: hostile, toolCalls });
    await app.settled();
    const fleet = (await reader.get('/fleet')).text;
    expect(fleet).toContain('4 executions reported');
    expect(fleet).toContain('0/1');
    const page = await reader.get(`/executions/${id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.text + fleet).not.toMatch(/<script>|\u202e/);
    expect((await reader.get('/executions/00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });

  it('show failures by agent and department, skipped executions, and unsolved failures', async () => {
    const { token } = await app.admin.agents.add({ name: 'seller bot', department: 'sales' });
    const call = (action: string, errorMessage: string) => ({ name: 'Bash', action, ok: false, errorMessage });
    const away = 'Error: connect ECONNREFUSED 10.0.0.7:443';
    await app.client(token).executions.report({
      ...pythonReport(app, 'sold'),
      status: 'failed',
      errorMessage: away,
      toolCalls: [call('curl https://shop.example.org', away)],
    });
    for (const name of ['uma', 'ugo', 'ute']) {
      const { client } = await app.agent(name, `team of ${name}`);
      const toolCalls = [call('make deploy', "make: *** No rule to make target 'deploy'.  Stop.")];
      await client.executions.report({ ...pythonReport(app, name), toolCalls });
    }
    await app.settled();
    await app.admin.evolver.run(false);
    const fleet = decoded((await reader.get('/fleet')).text.replaceAll(/(?:\s*<[^>]*>\s*)+/g, ' '));
    expect(fleet).toContain('seller bot sales 1/1 100 %');
    expect(fleet).toMatch(/By department .* sales 1 1\/1 100 %/);
    expect(fleet).toContain('Skipped executions success is not verified (4) attributed to environment (1)');
    expect(fleet).toMatch(/Unsolved failures make deploy: [^,]+, 3 failures of 3 agents/);
  });

  it('show a cycle as a funnel, down to the approved proposals', async () => {
    const cycle = await app.admin.evolver.run(false);
    const [item] = (await app.admin.proposals.list()).items;
    const before = (await reader.get(`/cycles/${cycle.id}`)).text;
    const steps = [...before.matchAll(/<th scope="row">([^<]+)<\/th><td><svg/g)].map(([, says]) => says);
    expect(steps).toEqual([
      ...['executions read', 'problems', 'seen in at least 3 projects', 'with a remedy'],
      ...['not yet proposed or approved', 'proposed', 'approved so far'],
    ]);
    // One problem is unsolved, and the other one is already proposed.
    const numbers = [...before.matchAll(/<td class="n"><b>(\d+)<\/b>/g)].map(([, n]) => Number(n));
    expect(numbers.slice(1)).toEqual([3, 2, 1, 0, 0, 0]);
    expect(before).toMatch(/approved so far<\/th>.*<b>0<\/b>/);
    expect(before).toContain(`/review/${item?.id}`);
    await app.admin.proposals.approve(item?.id ?? '', item?.artifactSha256 ?? '');
    expect((await reader.get(`/cycles/${cycle.id}`)).text).toMatch(/approved so far<\/th>.*<b>1<\/b>/);
    expect((await reader.get('/cycles')).text).toContain(`/cycles/${cycle.id}`);
  });

  it('show the progress of a running cycle, and refresh until its report is there', async () => {
    const id = '00000000-0000-4000-8000-00000000c1c1';
    const running = { id, trigger: 'request', dryRun: true, state: 'running' as const };
    const now = app.clock.now();
    await app.database.client.evolverCycle.create({ data: { ...running, startedAt: now } });
    const lease = { name: 'evolver-cycle', holder: id, until: new Date(now.getTime() + MINUTE_MS) };
    await app.database.client.lease.create({ data: lease });
    const page = (await reader.get(`/cycles/${id}`)).text;
    expect(page).toContain('The cycle is running. This page refreshes automatically.');
    expect(page).toContain('http-equiv="refresh" content="3"');
    expect((await reader.get('/cycles')).text).toContain('http-equiv="refresh"');
    await app.database.client.lease.delete({ where: { name: lease.name } });
    expect((await reader.get(`/cycles/${id}`)).text).not.toContain('http-equiv="refresh"');
    await app.database.client.evolverCycle.delete({ where: { id } });
  });

  it('count the lessons by their scope', async () => {
    const fleet = (await reader.get('/fleet')).text;
    const [, skills] = fleet.match(/whole organisation \(skills\)<\/th><td class="n">(\d+)<\/td>/) ?? [];
    expect(Number(skills)).toBe((await app.admin.skills.list()).total);
    const [, private_] = fleet.match(/one agent<\/th><td class="n">(\d+)<\/td>/) ?? [];
    expect(Number(private_)).toBe((await app.admin.lessons({ limit: 1 })).total);
  });

  it('show the journal newest first, filter it, and verify its chain on request', async () => {
    const page = (await reader.get('/journal')).text;
    expect(page).toContain('proposal.approved');
    expect(page).not.toContain('Intact');
    const only = (await reader.get('/journal?action=proposal.snoozed')).text;
    expect(only).toContain('No matching entry.');
    expect((await reader.get('/journal?verify=1')).text).toContain('Intact:');
    expect((await reader.get('/journal?verify=1')).text).not.toContain('http-equiv="refresh"');
    const seqs = [...page.matchAll(/<tr><td class="n aside">(\d+)<\/td>/g)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
    expect(seqs.length).toBeGreaterThan(10);
  });

  it('show the progress of a long verification of the journal, and refresh until its result', async () => {
    let go = () => {};
    const waits = new Promise<void>((resolve) => {
      go = resolve;
    });
    const audit = app.app.get(JournalAudit);
    const verify = audit.verify.bind(audit);
    const slow = jest.spyOn(audit, 'verify').mockImplementation(async (onRead = () => undefined) => {
      onRead(120_000, 300_000);
      await waits;
      return verify(onRead);
    });
    const begun = (await reader.get('/journal?verify=1')).text;
    expect(begun).toContain('Verifying: 120,000 of 300,000 entries intact so far.');
    expect(begun).toContain('<meta http-equiv="refresh" content="3; url&#x3D;/journal?verify&#x3D;shown">');
    // A second request shows the same verification.
    expect((await reader.get('/journal?verify=1')).text).toContain('Verifying: 120,000 of 300,000');
    expect((await reader.get('/journal')).text).not.toContain('Verifying');
    expect(slow).toHaveBeenCalledTimes(1);
    go();
    await app.app.get(JournalChecks).begin(60_000);
    const ended = (await reader.get('/journal?verify=shown')).text;
    expect(ended).toMatch(/Intact: .* <time class="soft"/);
    expect(ended).not.toContain('http-equiv="refresh"');
    slow.mockRejectedValueOnce(new Error('the database is away'));
    expect((await reader.get('/journal?verify=1')).text).toContain('was interrupted and has no result');
    slow.mockRestore();
    expect((await reader.get('/journal?verify=1')).text).toContain('Intact:');
  });
});
