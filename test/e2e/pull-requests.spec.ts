import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { startBeside } from '../support/application-beside.js';
import { TestCodeHost } from '../support/code-host.js';
import { Console, decoded } from '../support/console.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { approvedSkill } from '../support/skills.js';

const KINDS = ['github', 'gitlab'] as const;
const PUBLIC_URL = 'https://guildbook.example.org';

let host: TestCodeHost;
let app: TestApplication;
let logged: string[];

async function start(kind: (typeof KINDS)[number], more: Record<string, string> = {}): Promise<void> {
  host = await TestCodeHost.start(kind);
  logged = [];
  const keep = (...parts: unknown[]) => void logged.push(JSON.stringify(parts));
  const logger: LoggerService = { log: keep, warn: keep, error: keep, debug: keep, verbose: keep, fatal: keep };
  app = await startTestApplication({ ...host.settings(), ...more }, logger);
}

/** Approves a new skill of this title. Returns its name. */
async function approve(title: string): Promise<string> {
  const name = await approvedSkill(app, title);
  await app.settled();
  await app.app.get(RemotePusher).idle();
  return name;
}

/** The state of the remote after the next look at it. */
async function remoteAfter(milliseconds = MINUTE_MS) {
  app.clock.advance(milliseconds);
  const pusher = app.app.get(RemotePusher);
  pusher.wake();
  await pusher.idle();
  return (await app.admin.repository()).remote;
}

afterEach(async () => {
  await app.close();
  await host.close();
});

describe.each(KINDS)('decisions for a protected branch at %s', (kind) => {
  it('are proposed beside what else the remote has, and build on it after a merge, a squash or a rebase', async () => {
    await start(kind);
    const alpha = await approve('Alpha');
    const { head, remote } = await app.admin.repository();
    expect(remote).toMatchObject({
      state: 'requested',
      commit: null,
      reason: null,
      request: { number: 1, address: 'https://git.example.org/acme/skills/1' },
    });
    expect(host.files('main')).toEqual(['LICENSE']);
    const { branch: first, title, body } = host.request(1);
    expect(first).toMatch(/^guildbook\/[0-9a-f]{12}$/);
    expect(host.files(first)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', `${alpha}/SKILL.md`]));
    expect(host.show('show', `${first}:${alpha}/SKILL.md`)).toBe((await app.admin.skills.show(alpha)).artifact.trim());
    expect(title).toBe(`Publish ${alpha} v1`);
    expect(body).toContain(`- \`Publish ${alpha} v1\`, approved by \``);
    expect(body).not.toContain('](');
    expect(host.show('log', '-1', '--format=%(trailers:key=Guildbook-Approval,valueonly)', first)).toBe(
      (await app.admin.skills.show(alpha)).proposalId,
    );

    expect(await remoteAfter()).toMatchObject({ state: 'requested', request: { number: 1 } });
    expect(host.requests).toHaveLength(1);

    host.merge(1, 'merge');
    expect(await remoteAfter()).toMatchObject({ state: 'pushed', commit: head, request: null, nextAttempt: null });
    host.commitByHand('CONTRIBUTING', 'By pull request\n');
    const bravo = await approve('Bravo');
    const { branch } = host.request(2);
    expect(host.show('diff', '--name-only', `main...${branch}`).split('\n')).toContain(`${bravo}/SKILL.md`);
    expect(host.show('diff', '--name-only', `main...${branch}`)).not.toContain(`${alpha}/`);
    expect(host.files(branch)).toContain('CONTRIBUTING');
    host.merge(2, 'squash');
    expect(await remoteAfter()).toMatchObject({ state: 'pushed', commit: (await app.admin.repository()).head });
    await app.admin.retireSkill((await app.admin.skills.show(alpha)).proposalId, 'no longer true');
    await app.settled();
    await app.app.get(RemotePusher).idle();
    expect(host.request(3).title).toBe(`Retire ${alpha}`);
    host.merge(3, 'rebase');
    expect((await remoteAfter())?.state).toBe('pushed');
    expect(host.files('main')).not.toContain(`${alpha}/SKILL.md`);
    expect(host.files('main')).toEqual(expect.arrayContaining(['LICENSE', 'CONTRIBUTING', `${bravo}/SKILL.md`]));
    // What was fetched lies in the repository itself, and main is what the decisions give.
    const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(git('log', '--format=%s', '--reverse')).toBe(
      [`Publish ${alpha} v1`, `Publish ${bravo} v1`, `Retire ${alpha}`].join('\n'),
    );
  });

  it('are added to the open pull request, with their text', async () => {
    await start(kind, { GUILDBOOK_PUBLIC_URL: PUBLIC_URL });
    const alpha = await approve('Alpha');
    const named = {
      name: 'Eve @everyone _x_ acme/skills',
      email: 'eve@example.org',
      reviewer: true,
      admin: false,
    };
    const invited = await app.admin.people.add(named);
    const eve = app.client((await app.client().signIn(invited.token)).token);
    const { id, artifactSha256, skillName: bravo } = await submitTestProposal(app, 'Bravo');
    await eve.proposals.approve(id, artifactSha256);
    await app.settled();
    await app.app.get(RemotePusher).idle();
    expect(host.requests).toHaveLength(1);
    const { branch, title, body } = host.request(1);
    // Hosts make no mention, link or reference in a code span.
    expect(body).toContain('approved by `Eve @everyone _x_ acme/skills`, [review]');
    expect(host.show('rev-list', '--count', `main..${branch}`)).toBe('2');
    expect(title).toBe('Publish 2 decisions about skills');
    for (const name of [alpha, bravo]) {
      const { proposalId } = await app.admin.skills.show(name);
      expect(host.files(branch)).toContain(`${name}/SKILL.md`);
      expect(body).toContain(`\`Publish ${name} v1\``);
      expect(body).toContain(`[review](${PUBLIC_URL}/review/${proposalId})`);
    }
    host.merge(1, 'squash');
    expect((await remoteAfter())?.state).toBe('pushed');
  });

  it('are refused if it is closed, and the next decision opens another one', async () => {
    await start(kind);
    const alpha = await approve('Alpha');
    host.closeRequest(1);
    expect(await remoteAfter()).toMatchObject({ state: 'refused', request: { number: 1 } });
    expect(await remoteAfter()).toMatchObject({ state: 'refused', request: { number: 1 } });
    expect((await http(app).get('/readyz')).body).toMatchObject({ problems: [{ code: 'skills.push_failed' }] });
    const page = decoded(
      (await (await Console.signedIn(app, 'Pat Admin', { admin: true })).get('/settings/server')).text,
    );
    expect(page).toContain('pull request #1 to branch main was closed without a merge');
    expect(page).toContain('href="https://git.example.org/acme/skills/1"');
    const bravo = await approve('Bravo');
    expect((await app.admin.repository()).remote).toMatchObject({ state: 'requested', request: { number: 2 } });
    expect(host.requests).toHaveLength(2);
    expect(host.files(host.request(2).branch)).toEqual(
      expect.arrayContaining([`${alpha}/SKILL.md`, `${bravo}/SKILL.md`]),
    );
    host.merge(2, 'rebase');
    expect((await remoteAfter())?.state).toBe('pushed');
  });

  it('show why the host refuses, the token nowhere, and open one pull request once it answers', async () => {
    await start(kind);
    host.refusal = { status: 401, body: { message: `The token ${host.token} has expired` } };
    await approve('Alpha');
    const { remote } = await app.admin.repository();
    expect(remote).toMatchObject({
      state: 'rejected',
      request: null,
      reason: expect.stringContaining('401: The token'),
    });
    const journal = await app.database.client.$queryRaw`SELECT "action", "data"::text FROM "journal_entry"`;
    const seen = `${logged.join('\n')}${JSON.stringify([remote, journal])}`;
    expect(seen).toContain('skills.push_failed');
    expect(seen).toContain('proposal.approved');
    expect(seen).not.toContain(host.token);

    host.refusal = { status: 503, body: { message: 'We are down for maintenance' } };
    const reason = "the host's API answered 503: We are down for maintenance";
    expect(await remoteAfter()).toMatchObject({ state: 'unreachable', reason });
    expect(host.requests).toEqual([]);
    host.refusal = undefined;
    expect(await remoteAfter()).toMatchObject({ state: 'requested', reason: null, request: { number: 1 } });
    expect(host.requests).toHaveLength(1);
  });

  it('go on with the same pull request after a restart', async () => {
    await start(kind);
    await approve('Alpha');
    // The lease of a process that has ended is free.
    await app.app.get(RemotePusher).beforeApplicationShutdown();
    const other = await startBeside(app, host.settings());
    try {
      await other.app.get(RemotePusher).idle();
      const remote = async () => (await other.client(app.adminToken).repository()).remote;
      expect(await remote()).toMatchObject({ state: 'requested', request: { number: 1 } });
      host.closeRequest(1);
      app.clock.advance(MINUTE_MS);
      other.app.get(RemotePusher).wake();
      await other.app.get(RemotePusher).idle();
      expect(await remote()).toMatchObject({ state: 'refused', request: { number: 1 } });
      expect(host.requests).toHaveLength(1);
    } finally {
      await other.close();
    }
  });
});

describe('a skill of the remote that no decision knows', () => {
  it('stays, and a change of an approved one is proposed back', async () => {
    await start('github');
    const alpha = await approve('Alpha');
    host.merge(1, 'merge');
    expect((await remoteAfter())?.state).toBe('pushed');
    host.commitByHand(`${alpha}/SKILL.md`, 'Changed by hand\n');
    const bravo = await approve('Bravo');
    const { branch, body } = host.request(2);
    expect(host.show('show', `${branch}:${alpha}/SKILL.md`)).toContain('---');
    for (const name of [alpha, bravo]) expect(body).toContain(`Publish ${name} v1`);
  });
});
