import { describe, expect, it } from '@jest/globals';
import { WELL_KNOWN_SCHEMA, wellKnownIndex } from './well-known.js';

const skill = (name: string, description = 'Use when a call fails.') => ({
  name,
  description,
  artifactSha256: 'a'.repeat(64),
});

describe('the discovery index', () => {
  it('lists each published skill with its digest, sorted, for readers of version 0.2 and of 0.1', () => {
    const index = wellKnownIndex([skill('retry-once'), skill('ask-first')]);
    expect(index.$schema).toBe(WELL_KNOWN_SCHEMA);
    expect(index.skills.map(({ name }) => name)).toEqual(['ask-first', 'retry-once']);
    expect(index.skills[1]).toEqual({
      name: 'retry-once',
      type: 'skill-md',
      description: 'Use when a call fails.',
      url: 'retry-once/SKILL.md',
      digest: `sha256:${'a'.repeat(64)}`,
      files: ['SKILL.md'],
    });
  });

  it('lists a skill of several files as an archive, and file by file for readers of version 0.1', () => {
    const files = ['SKILL.md', 'references/why.md'];
    const long = { ...skill('retry-once'), archive: { files, sha256: 'b'.repeat(64) } };
    expect(wellKnownIndex([long]).skills).toMatchObject([
      { type: 'archive', url: 'retry-once/skill.tar.gz', digest: `sha256:${'b'.repeat(64)}`, files },
    ]);
  });

  it('resolves each address to the file beside it, wherever the server is mounted', () => {
    const [entry] = wellKnownIndex([skill('retry-once')]).skills;
    const at = 'https://example.test/team/.well-known/agent-skills/index.json';
    expect(new URL(entry?.url ?? '', at).pathname).toBe('/team/.well-known/agent-skills/retry-once/SKILL.md');
  });

  it.each([
    ['a name that could leave its folder', [skill('../secrets')]],
    ['an empty description', [skill('retry-once', '')]],
    ['a description that is too long', [skill('retry-once', 'x'.repeat(1_025))]],
    ['an invalid digest', [{ ...skill('retry-once'), artifactSha256: 'A'.repeat(64) }]],
    ['a duplicate name', [skill('retry-once'), skill('retry-once')]],
  ])('never contains %s', (_what, skills) => {
    expect(() => wellKnownIndex(skills)).toThrow(TypeError);
  });

  it('is valid and empty without skills', () => {
    expect(wellKnownIndex([])).toEqual({ $schema: WELL_KNOWN_SCHEMA, skills: [] });
  });
});
