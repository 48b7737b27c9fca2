import { describe, expect, it } from '@jest/globals';
import { predicateHash } from '../../evidence/predicate/binding.js';
import { lintSkill } from './lint.js';
import { parseSkill } from './parse.js';
import { renderSkill } from './render.js';
import type { SkillRecord } from './skill-record.schema.js';
import { validateSkill } from './validate.js';

const record: SkillRecord = {
  name: 'migrate-once',
  title: 'Migrate once',
  description: 'Use when a migration waits.',
  condition: 'A migration waits for its lock.',
  action: 'Wait, then migrate.',
  steps: ['Wait.'],
  gotchas: [],
  version: 1,
  proposalId: '0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f',
  provenance: 'verified',
  environment: [
    { name: 'harness', value: 'some-harness' },
    { name: 'node', value: '22.23' },
  ],
};
const binding = { harness: 'some-harness', project: 'shop' };
const hashIn = (text: string) => /\n {2}guildbook\/predicate: "sha256:([0-9a-f]{64})"\n/.exec(text)?.[1];

describe('the file of a bound skill', () => {
  it('says once where it was seen', () => {
    const bytes = renderSkill({ ...record, binding });
    expect(bytes).toContain(
      [
        record.condition,
        'Seen only in some-harness, in the project shop: check before relying on it elsewhere.',
        'Seen with: node 22.23.',
      ].join('\n\n'),
    );
    expect([lintSkill(bytes), validateSkill(record.name, bytes)]).toEqual([[], []]);
    expect(renderSkill(record)).not.toContain('Seen only');
  });

  it('holds the hash of predicate and binding in its head', () => {
    const predicate = { when: { args: 'migrate' } };
    const bytes = renderSkill({ ...record, binding, predicate });
    expect(hashIn(bytes)).toBe(predicateHash(predicate, binding));
    const others = [{ binding }, { predicate }, { binding: { project: 'shop' }, predicate }];
    const hashes = others.map((other) => hashIn(renderSkill({ ...record, ...other })));
    expect(new Set([...hashes, hashIn(bytes)]).size).toBe(4);
    expect(hashIn(renderSkill(record))).toBeUndefined();
  });

  it('says in its head and in one sentence that it is a gate, and in other bytes than without it', () => {
    const predicate = { when: { args: 'migrate' } };
    const [bytes, plain] = [renderSkill({ ...record, predicate, gate: true }), renderSkill({ ...record, predicate })];
    const sentence =
      'Reviewers marked this skill as a gate: where hooks ask before a call, Guildbook refuses a call of this kind once in a session, with this lesson, and then lets it pass.';
    expect(bytes).toContain('\n  guildbook/gate: "refuse-once"\n---\n');
    expect(bytes.endsWith(`\n\n${sentence}\n\nApproved by a person.\n`)).toBe(true);
    expect(bytes.replace('  guildbook/gate: "refuse-once"\n', '').replace(`${sentence}\n\n`, '')).toBe(plain);
    expect([lintSkill(bytes), validateSkill(record.name, bytes)]).toEqual([[], []]);
    const [marked, unmarked] = [parseSkill(bytes), parseSkill(plain)];
    expect(marked).toMatchObject({ notes: [] });
    expect('skill' in marked && 'skill' in unmarked && { ...marked.skill, fixed: unmarked.skill.fixed }).toEqual(
      'skill' in unmarked && unmarked.skill,
    );
  });

  it('neutralises what the names of a harness hold', () => {
    const bytes = renderSkill({ ...record, binding: { harness: '<b>@x</b>\u202e$(id)\n---\n# Steps' } });
    expect(lintSkill(bytes)).toEqual([]);
    expect(bytes.match(/^#.*$/gm)).toEqual(['# Migrate once', '## When to use', '## Steps']);
  });
});
