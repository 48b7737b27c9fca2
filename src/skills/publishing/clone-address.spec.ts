import { describe, expect, it } from '@jest/globals';
import { cloneAddress } from './remote-pusher.service.js';

describe('the address from which people clone the skills', () => {
  it.each([
    ['https://git.example.org/team/skills.git', 'https://git.example.org/team/skills.git'],
    ['https://deploy@git.example.org:8443/team/skills.git', 'https://git.example.org:8443/team/skills.git'],
    ['https://deploy:s3cret@git.example.org/team/skills.git', 'https://git.example.org/team/skills.git'],
    ['https://git.example.org/team/skills.git?private_token=s3cret#main', 'https://git.example.org/team/skills.git'],
    ['ssh://git@git.example.org:2222/team/skills.git', 'ssh://git@git.example.org:2222/team/skills.git'],
    ['ssh://git:s3cret@git.example.org/team/skills.git', 'ssh://git@git.example.org/team/skills.git'],
  ])('of %s holds nothing that could be a credential', (remote, address) => {
    expect(cloneAddress(remote)).toBe(address);
  });

  it.each([
    'file:///srv/skills.git',
    '/srv/skills.git',
    'git@git.example.org:team/skills.git',
    'http://git.example.org/',
  ])('is not shown for %s', (remote) => expect(cloneAddress(remote)).toBeNull());

  it('is not shown if a secret stands in its path', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    expect(cloneAddress(`https://git.example.org/${token}/skills.git`)).toBeNull();
  });
});
