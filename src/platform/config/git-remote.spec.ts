import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';
import { codeHost } from './git-remote.js';

const load =
  (remote: string, branch = 'main') =>
  () =>
    loadConfig({ GUILDBOOK_SKILLS_REMOTE: remote, GUILDBOOK_SKILLS_REMOTE_BRANCH: branch });

describe('a remote that a push would refuse', () => {
  it.each([
    ['a program', 'ext::sh -c touch%20pwn'],
    ['a local path', '/srv/skills.git'],
    ['an unencrypted protocol', 'git://example.test/skills.git'],
    ['unencrypted HTTP', 'http://example.test/skills.git'],
    ['another spelling of a protocol', 'HTTPS://example.test/skills.git'],
    ['a password', 'https://ada:secret@example.test/skills.git'],
    ['a host that is an option', 'ssh://-oProxyCommand=touch%20pwn/x'],
    ['an encoded host that is an option', 'ssh://%2DoProxyCommand=touch%20pwn/x'],
    ['a user that is an option', 'ssh://-oProxyCommand=x@example.test/x'],
    ['an encoded user that is an option', 'ssh://%2doProxyCommand=x@example.test/x'],
    ['an encoding that cannot be read', 'ssh://%zz@example.test/x'],
    ['no host', 'ssh:///srv/skills.git'],
    ['a file on another host', 'file://example.test/srv/skills.git'],
    ['the root of the file system', 'file:///'],
    ['a second line', 'https://example.test/x\n[core]'],
    ['a blank', 'https://example.test/a b'],
    ['too many characters', `https://example.test/${'x'.repeat(500)}`],
  ])('is refused with the settings: %s', (_what, remote) => {
    expect(load(remote)).toThrow(/GUILDBOOK_SKILLS_REMOTE: must be/);
  });

  it.each(['+main', 'main:refs/heads/other', '--mirror', 'a..b', 'main.lock', 'main.lock/x', 'x'.repeat(201)])(
    'is refused with the settings for its branch: %s',
    (branch) => {
      expect(load('https://example.test/x.git', branch)).toThrow(/GUILDBOOK_SKILLS_REMOTE_BRANCH: must be/);
    },
  );

  it('is refused with the settings if it is the skills folder, or lies in it', () => {
    const skills = join(tmpdir(), 'guildbook-no-such-skills');
    for (const folder of [skills, join(skills, '.git'), join(skills, 'remote.git')])
      expect(() =>
        loadConfig({ GUILDBOOK_SKILLS_DIR: skills, GUILDBOOK_SKILLS_REMOTE: pathToFileURL(folder).href }),
      ).toThrow(/GUILDBOOK_SKILLS_REMOTE: must not be, contain or lie in the skills folder/);
  });
});

describe('a remote that a push accepts', () => {
  it.each([
    'https://example.test/skills.git',
    'https://robot@example.test:8443/skills.git',
    'ssh://git@example.test:22/team/skills.git',
    'file:///srv/skills.git',
  ])('is accepted with the settings: %s', (remote) => {
    expect(load(remote, 'guildbook/skills')().skillsRemote).toBe(remote);
  });
});

describe('the API of the host of a remote', () => {
  it.each([
    ['github', 'https://github.com/acme/skills.git', 'https://api.github.com', 'acme/skills'],
    ['github', 'ssh://git@github.com/acme/skills.git', 'https://api.github.com', 'acme/skills'],
    ['github', 'https://git.example.test:8443/acme/skills', 'https://git.example.test:8443/api/v3', 'acme/skills'],
    ['gitlab', 'https://gitlab.com/acme/tools/skills.git', 'https://gitlab.com/api/v4', 'acme/tools/skills'],
    ['gitlab', 'ssh://git@git.example.test:2222/acme/skills.git/', 'https://git.example.test/api/v4', 'acme/skills'],
  ] as const)('is derived for %s from %s', (kind, remote, api, project) => {
    expect(codeHost(kind, remote)).toEqual({ kind, api, project });
  });

  it('may be another one, also for a folder', () => {
    const api = 'https://git.example.test/api/v4/';
    const host = { kind: 'gitlab', api: 'https://git.example.test/api/v4', project: 'acme/skills' };
    expect(codeHost('gitlab', 'file:///srv/git/acme/skills.git', api)).toEqual(host);
    expect(codeHost('gitlab', 'file:///srv/git/acme/skills.git')).toBeUndefined();
  });

  it.each([
    [{}, 'GUILDBOOK_SKILLS_REMOTE: required with'],
    [
      { GUILDBOOK_SKILLS_REMOTE: 'https://github.com/acme/skills.git' },
      'GUILDBOOK_SKILLS_PULL_REQUEST_TOKEN: required',
    ],
    [
      { GUILDBOOK_SKILLS_REMOTE: 'https://github.com/skills.git', GUILDBOOK_SKILLS_REMOTE_TOKEN: 'abc' },
      'GUILDBOOK_SKILLS_REMOTE: must name a host, an owner and a repository',
    ],
    [
      { GUILDBOOK_SKILLS_REMOTE: 'https://github.com/acme/..%2fx', GUILDBOOK_SKILLS_REMOTE_TOKEN: 'abc' },
      'GUILDBOOK_SKILLS_REMOTE: must name a host, an owner and a repository',
    ],
  ])('is refused with the settings for pull requests: %j', (environment, problem) => {
    expect(() => loadConfig({ ...environment, GUILDBOOK_SKILLS_PULL_REQUESTS: 'github' })).toThrow(problem);
  });
});
