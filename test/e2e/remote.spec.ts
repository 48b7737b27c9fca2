import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { proposedByFleet } from '../support/fleet.js';
import { http } from '../support/http.js';

describe('a remote for the skills', () => {
  let folder: string;
  let bare: string;
  let app: TestApplication;

  const remoteGit = (...args: string[]) => execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8' }).trim();
  const approveOne = async () => {
    const proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
    await app.app.get(RemotePusher).idle();
    return proposal;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildbook-remote-'));
    bare = join(folder, 'skills.git');
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('receives approved skills on the configured branch', async () => {
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
    app = await startTestApplication({
      GUILDBOOK_SKILLS_REMOTE: `file://${bare}`,
      GUILDBOOK_SKILLS_REMOTE_BRANCH: 'guildbook/skills',
    });
    const proposal = await approveOne();
    const { head, remote } = await app.admin.repository();
    expect(remote).toMatchObject({ branch: 'guildbook/skills', state: 'pushed', commit: head, reason: null });
    expect(remoteGit('rev-parse', 'guildbook/skills')).toBe(head);
    expect(remoteGit('show', `guildbook/skills:${proposal.skillName}/SKILL.md`)).toBe(proposal.artifact.trim());
  });

  it('delays no decision while it is unreachable, is reported, and receives everything later', async () => {
    app = await startTestApplication({ GUILDBOOK_SKILLS_REMOTE: `file://${bare}` });
    const proposal = await approveOne();
    expect((await app.admin.skills.show(proposal.skillName)).publication.state).toBe('published');
    const failed = (await app.admin.repository()).remote;
    expect(failed).toMatchObject({ state: 'unreachable', commit: null, reason: expect.stringMatching(/\S/) });
    expect(failed?.reason).not.toContain(bare);

    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
    const remote = app.app.get(RemotePusher);
    remote.wake();
    await remote.idle();
    expect((await app.admin.repository()).remote?.state).toBe('unreachable');
    app.clock.advance(MINUTE_MS);
    remote.wake();
    await remote.idle();
    expect((await app.admin.repository()).remote).toMatchObject({ state: 'pushed', reason: null, nextAttempt: null });
    expect(remoteGit('rev-parse', 'main')).toBe((await app.admin.repository()).head);
  });

  it('shows the sentence of a host that refuses, redacted, in every place, and degrades readiness', async () => {
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const hook = join(bare, 'hooks', 'pre-receive');
    writeFileSync(
      hook,
      `#!/bin/sh\necho "Changes must be made through a pull request, not with ${secret}." >&2\nexit 1\n`,
    );
    chmodSync(hook, 0o755);
    app = await startTestApplication({ GUILDBOOK_SKILLS_REMOTE: `file://${bare}` });
    const problems = async () => (await http(app).get('/readyz')).body;
    expect(await problems()).toMatchObject({ status: 'ready' });
    await approveOne();
    const { remote } = await app.admin.repository();
    expect(remote).toMatchObject({
      state: 'rejected',
      reason: expect.stringMatching(/^Changes must be made through a pull request, not with .*hook declined/),
    });
    expect(remote?.reason).not.toContain(secret);
    expect(await problems()).toMatchObject({ status: 'degraded', problems: [{ code: 'skills.push_failed' }] });
    const admin = await Console.signedIn(app, 'Pat Pusher', { admin: true });
    const page = decoded((await admin.get('/settings/server')).text);
    expect(page).toContain('rejected the last push on branch main: Changes must be made through a pull request');

    rmSync(hook);
    app.clock.advance(MINUTE_MS);
    app.app.get(RemotePusher).wake();
    await app.app.get(RemotePusher).idle();
    expect(await problems()).toMatchObject({ status: 'ready' });
  });

  it('is null if none is configured', async () => {
    app = await startTestApplication();
    const history = { known: null, held: null, setAside: [] };
    expect(await app.admin.repository()).toEqual({ head: null, history, remote: null, findings: [] });
  });
});
