import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { CommitMessage } from './commit-message.js';
import { GitRepository } from './git.repository.js';
import type { PushTarget } from './push.repository.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-push-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] }).trim();

let directory: string;
let bare: string;
let remote: string;
let repository: GitRepository;

async function publish(version: number): Promise<string> {
  const bytes = `v${version}\n`;
  const message = CommitMessage.publish({
    name: 'retry-once',
    version,
    proposalId: `00000000-0000-4000-8000-${String(version).padStart(12, '0')}`,
    artifactSha256: createHash('sha256').update(bytes).digest('hex'),
    journal: { seq: version, hash: 'c'.repeat(64) },
  });
  const author = { name: 'Ada Reviewer', email: 'ada@example.test' };
  const path = 'retry-once/SKILL.md';
  return (await repository.publishSkill({ path, bytes, message, author, when: '2026-11-20T09:30:00.000Z' })).commit;
}

const push = async (target: PushTarget, from = repository) => from.push(await from.head(), target);

beforeEach(async () => {
  const folder = mkdtempSync(join(base, 'case-'));
  directory = join(folder, 'skills');
  bare = join(folder, 'remote.git');
  remote = pathToFileURL(bare).href;
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  repository = new GitRepository(directory, { gitBinary: 'git', path: programPath() });
  await repository.ensure();
});

describe('a push to the configured remote', () => {
  it('pushes main, and reports up-to-date the second time', async () => {
    expect(await push({ remote, branch: 'main' })).toEqual({ state: 'up-to-date', commit: undefined });
    const first = await publish(1);
    expect(await push({ remote, branch: 'main' })).toEqual({ state: 'pushed', commit: first });
    expect(await push({ remote, branch: 'main' })).toEqual({ state: 'up-to-date', commit: first });
    const second = await publish(2);
    expect(await push({ remote, branch: 'main' })).toEqual({ state: 'pushed', commit: second });
    expect(git(bare, 'rev-parse', 'main')).toBe(second);
    expect(git(bare, 'fsck', '--strict')).toBe('');
  });

  it('can push to a branch for a pull request', async () => {
    const commit = await publish(1);
    await push({ remote, branch: 'guildbook/skills' });
    expect(git(bare, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(
      `refs/heads/guildbook/skills ${commit}`,
    );
  });

  it('never overwrites foreign commits on the remote: it is rejected', async () => {
    await publish(1);
    await push({ remote, branch: 'main' });
    const clone = join(directory, '..', 'clone');
    git(directory, 'clone', '--quiet', bare, clone);
    git(clone, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'theirs');
    git(clone, 'push', '--quiet', 'origin', 'main');
    const theirs = git(bare, 'rev-parse', 'main');
    const commit = await publish(2);
    const result = await push({ remote, branch: 'main' });
    expect(result).toMatchObject({ state: 'rejected', commit });
    expect('reason' in result && result.reason).toMatch(/fetch first|non-fast-forward/);
    expect(git(bare, 'rev-parse', 'main')).toBe(theirs);
  });

  const refuseWith = (...lines: string[]) => {
    const hook = join(bare, 'hooks', 'pre-receive');
    mkdirSync(join(bare, 'hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ncat >&2 <<'END'\n${lines.join('\n')}\nEND\nexit 1\n`);
    chmodSync(hook, 0o755);
  };

  it('is rejected by rules of the remote, with the sentence of the host first and without the address', async () => {
    refuseWith(
      'error: GH006: Protected branch update failed for refs/heads/main.',
      '',
      'error: Changes must be made through a pull request.',
    );
    await publish(1);
    const result = await push({ remote, branch: 'main' });
    expect(result).toMatchObject({
      state: 'rejected',
      reason:
        'error: GH006: Protected branch update failed for refs/heads/main. error: Changes must be made through a pull request. [remote rejected] (pre-receive hook declined)',
    });
    expect(JSON.stringify(result)).not.toContain(bare);
  });

  it('gives the sentence of a host as one line without control characters, colours, progress and decoration', async () => {
    refuseWith(
      '=====',
      'Resolving deltas: 100% (1/1), done.',
      '\u001b[31mGitLab:\u001b[0m You are not\u202e allowed\u0007 to push.',
      '-----',
    );
    await publish(1);
    expect(await push({ remote, branch: 'main' })).toMatchObject({
      reason: 'GitLab: You are not allowed to push. [remote rejected] (pre-receive hook declined)',
    });
  });

  it('reports a remote as unreachable if the connection fails or there is no response in time', async () => {
    await publish(1);
    const missing = pathToFileURL(join(bare, 'nowhere')).href;
    expect(await push({ remote: missing, branch: 'main' })).toMatchObject({ state: 'unreachable' });
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const target = { remote: `https://127.0.0.1:${port}/x.git`, branch: 'main', timeoutMs: 500 };
    const result = await push(target);
    silent.close();
    for (const socket of sockets) socket.destroy();
    expect(result).toMatchObject({ state: 'unreachable', reason: 'no response in time' });
  });

  it.each([
    ['a program instead of an address', 'ext::sh -c touch%20pwn', 'main'],
    ['a local path', '/srv/skills.git', 'main'],
    ['the unencrypted git protocol', 'git://example.test/skills.git', 'main'],
    ['unencrypted HTTP', 'http://example.test/skills.git', 'main'],
    ['a password in the address', 'https://ada:secret@example.test/skills.git', 'main'],
    ['a host that is an option', 'ssh://-oProxyCommand=touch%20pwn/x', 'main'],
    ['a user that is an option', 'ssh://-oProxyCommand=x@example.test/x', 'main'],
    ['an encoded host that is an option', 'ssh://%2DoProxyCommand=touch%20pwn/x', 'main'],
    ['an encoded user that is an option', 'ssh://%2doProxyCommand=x@example.test/x', 'main'],
    ['an address that names no host', 'ssh:///srv/skills.git', 'main'],
    ['a file on another host', 'file://example.test/srv/skills.git', 'main'],
    ['a branch below the name of a lock', 'https://example.test/x.git', 'main.lock/x'],
    ['an address with a second line', 'https://example.test/x\n[core]', 'main'],
    ['a branch that forces', 'https://example.test/x.git', '+main'],
    ['a branch that is a second reference', 'https://example.test/x.git', 'main:refs/heads/other'],
    ['a branch that is an option', 'https://example.test/x.git', '--mirror'],
    ['a branch that git does not allow', 'https://example.test/x.git', 'a..b'],
    ['a branch that is a lock', 'https://example.test/x.git', 'main.lock'],
  ])('refuses %s', async (_what, hostile, branch) => {
    await expect(push({ remote: hostile, branch })).rejects.toThrow(TypeError);
  });

  it('uses no other address and starts no program that is configured in the folder', async () => {
    await publish(1);
    const canary = join(directory, '..', 'canary');
    const elsewhere = join(directory, '..', 'elsewhere.git');
    const script = join(directory, '..', 'script');
    writeFileSync(script, `#!/bin/sh\ntouch '${canary}'\n`);
    chmodSync(script, 0o755);
    git(directory, 'init', '--quiet', '--bare', elsewhere);
    git(directory, 'config', `url.${pathToFileURL(elsewhere).href}.insteadOf`, remote);
    git(directory, 'config', 'remote.guildbook.url', pathToFileURL(elsewhere).href);
    git(directory, 'config', 'remote.guildbook.receivepack', script);
    git(directory, 'config', 'credential.helper', script);
    mkdirSync(join(directory, '.git', 'hooks'));
    writeFileSync(join(directory, '.git', 'hooks', 'pre-push'), readFileSync(script));
    chmodSync(join(directory, '.git', 'hooks', 'pre-push'), 0o755);
    expect(await push({ remote, branch: 'main' })).toMatchObject({ state: 'pushed' });
    expect(existsSync(canary)).toBe(false);
    expect(git(elsewhere, 'for-each-ref')).toBe('');
  });

  it('shows a token in no argument', async () => {
    await publish(1);
    const log = join(directory, '..', 'calls');
    const spy = join(directory, '..', 'git-spy');
    writeFileSync(spy, `#!/bin/sh\nprintf 'ARG %s\\n' "$@" >> '${log}'\nexec git "$@"\n`);
    chmodSync(spy, 0o755);
    const spied = new GitRepository(directory, { gitBinary: spy, path: programPath() });
    const target = { remote: 'https://127.0.0.1:1/x.git', branch: 'main', token: 'sekret-token' };
    const result = await push(target, spied);
    expect(result).toMatchObject({ state: 'unreachable' });
    const encoded = Buffer.from('x-access-token:sekret-token').toString('base64');
    for (const text of [readFileSync(log, 'utf8'), JSON.stringify(result)]) {
      expect(text).not.toContain('sekret-token');
      expect(text).not.toContain(encoded);
    }
    expect(readFileSync(log, 'utf8')).not.toContain('127.0.0.1');
  });
});
