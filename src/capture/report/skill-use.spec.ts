import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExecutionReport } from './execution-report.schema.js';
import { outcomeForSkills, SkillUseTally, skillOf } from './skill-use.js';

const AT = '2026-01-05T09:00:00.000Z';
const LATER = '2026-01-05T09:00:01.000Z';

describe('the name of a skill in a transcript', () => {
  it.each([
    ['verify-before-commit', 'verify-before-commit'],
    ['guildbook-skills:verify-before-commit', 'verify-before-commit'],
    ['guildbook:verify-before-commit', 'verify-before-commit'],
    ['another-plugin:verify-before-commit', undefined],
    ['guildbook:another:verify', undefined],
    ['guildbook:', undefined],
    [':verify', undefined],
    ['Verify Before Commit', undefined],
    ['../verify', undefined],
    ['v'.repeat(65), undefined],
    [['verify'], undefined],
    [undefined, undefined],
  ])('%j is the skill %j', (name, skill) => {
    expect(skillOf(name)).toBe(skill);
  });
});

describe('the skills of an execution', () => {
  it('have each event once, with its first time, and an application with its last', () => {
    const uses = new SkillUseTally();
    uses.add('guildbook-skills:verify', 'applied', AT);
    uses.add('verify', 'applied', LATER);
    uses.add('verify', 'offered', LATER);
    expect(uses.list()).toEqual([
      { skill: 'verify', event: 'offered', at: LATER },
      { skill: 'verify', event: 'applied', at: LATER },
    ]);
  });

  it('are limited per event, so that offers cannot crowd out applied skills', () => {
    const uses = new SkillUseTally();
    for (let index = 0; index < 2_000; index += 1) uses.add(`skill-${index}`, 'offered', AT);
    uses.add('skill-1999', 'applied', AT);
    expect(uses.list()).toHaveLength(501);
    expect(uses.list().at(-1)).toEqual({ skill: 'skill-1999', event: 'applied', at: AT });
  });

  it('have only valid skill names for any transcript', () => {
    const anyName = fc.oneof(fc.string(), fc.constantFrom('guildbook:ok', 'ok', 'x:ok'), fc.anything());
    fc.assert(
      fc.property(fc.array(anyName), (names) => {
        const uses = new SkillUseTally();
        for (const name of names) uses.add(name, 'loaded', AT);
        for (const { skill } of uses.list()) expect(skill).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      }),
    );
  });
});

describe('the outcome of an execution for its skills', () => {
  const report = (status: string, verification: object): ExecutionReport =>
    ExecutionReport.parse({
      executionId: 'e',
      taskId: 't',
      taskTitle: 'T',
      startedAt: AT,
      finishedAt: AT,
      status,
      verification,
      terminationReason: 'ended',
      toolCalls: [],
      retryCount: 0,
      maxRetries: 0,
    });

  it.each([
    ['completed', { outcome: 'none' }, 'unknown'],
    ['completed', { outcome: 'succeeded', source: 'self' }, 'unknown'],
    ['completed', { outcome: 'succeeded', source: 'ci' }, 'success'],
    ['completed', { outcome: 'failed', source: 'test' }, 'failure'],
    ['failed', { outcome: 'none' }, 'failure'],
    ['failed', { outcome: 'succeeded', source: 'reward' }, 'success'],
    ['aborted', { outcome: 'none' }, 'unknown'],
  ])('%s, verified %j: %s', (status, verification, outcome) => {
    expect(outcomeForSkills(report(status, verification))).toBe(outcome);
  });
});
