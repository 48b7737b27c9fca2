import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

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
