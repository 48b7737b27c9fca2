import { describe, expect, it } from '@jest/globals';
import { PRODUCTS } from '../../access/identity/access.schema.js';
import { addressFor } from './install-skills.js';

const HTTPS = 'https://git.example.org/team/skills.git';
const SSH = 'ssh://git@git.example.org/team/skills.git';

describe('the address from which a product installs the skills', () => {
  it.each([
    ['claude-code', HTTPS, HTTPS],
    ['claude-code', 'https://git.example.org/team/skills', HTTPS],
    ['claude-code', 'https://dev.example.org/team/_git/skills', 'https://dev.example.org/team/_git/skills'],
    ['claude-code', SSH, 'git@git.example.org:/team/skills.git'],
    ['codex', 'https://git.example.org/team/skills', 'https://git.example.org/team/skills'],
    ['codex', SSH, SSH],
    ['copilot', 'ssh://git@git.example.org:2222/team/skills.git', 'ssh://git@git.example.org:2222/team/skills.git'],
    ['gemini', SSH, SSH],
  ] as const)('has the form that %s takes: %s', (product, said, address) => {
    expect(addressFor(product, said)).toBe(address);
  });

  it('is missing for Claude Code if ssh needs a port or has no account', () => {
    for (const said of ['ssh://git@git.example.org:2222/team/skills.git', 'ssh://git.example.org/team/skills.git'])
      expect(addressFor('claude-code', said)).toBeUndefined();
  });

  it.each([
    ...['--upload-pack=touch /tmp/x', '-x', '', 'owner/repository', '/srv/skills', '../skills', 'file:///srv/skills'],
    ...['http://git.example.org/skills.git', 'ext::sh -c x', 'git@git.example.org:team/skills.git', 'https:skills'],
    ...['https://rita:s3cret@git.example.org/skills.git', 'https://rita@git.example.org/skills.git'],
    ...['ssh://-oProxyCommand=x/skills.git', 'ssh://-x@git.example.org/skills.git', 'https://git.example.org/'],
    ...['https://git.example.org/a b.git', 'https://git.example.org/$(x).git', "https://git.example.org/a'b.git"],
    ...[
      'https://git.example.org/a.git#--x',
      'https://git.example.org/a.git?token=x',
      'https://git.example.org/a\n.git',
    ],
  ])('is never made of %j', (said) => {
    expect(PRODUCTS.map((product) => addressFor(product, said))).toEqual(PRODUCTS.map(() => undefined));
  });
});
