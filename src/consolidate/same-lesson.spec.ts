import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { testSkill } from '../../test/support/approved-skills.js';
import { isSameLesson, readSkill } from './same-lesson.js';
import { compareSkills, MergeFinder, mergeInWords } from './skill-merges.service.js';

type Changes = Parameters<typeof testSkill>[0];

const isSame = (a: Changes, b: Changes): boolean => {
  const [one, other] = [readSkill(testSkill(a)), readSkill(testSkill(b))];
  expect(isSameLesson(one, other)).toBe(isSameLesson(other, one));
  return isSameLesson(one, other);
};
const BY_HAND = { isByRules: false } as const;

describe('two live skills say the same', () => {
  it('if they claim the same of the same calls, whatever example of the failure they quote', () => {
    expect(
      isSame({}, { condition: 'About to run `python <file>.py`, or it has just failed with "can\'t open file".' }),
    ).toBe(true);
  });

  it('if a person only put the words in another order or inflection', () => {
    const [a, b] = ['When a command fails with `python`.', 'When commands failed with `python`.'];
    expect(isSame({ ...BY_HAND, condition: a }, { ...BY_HAND, condition: b })).toBe(true);
  });

  it('if one was learned from all groups of agents', () => {
    expect(isSame({}, { audience: [{ department: 'sales', role: null }] })).toBe(true);
  });
});

describe('two live skills say different things', () => {
  it('if a person gave one of them a condition that the other lacks, even if it is one word', () => {
    const { condition } = testSkill({});
    expect(isSame({}, { ...BY_HAND, condition: `${condition} Windows.` })).toBe(false);
  });

  it.each<[string, Changes]>([
    ['the remedy', { action: 'Run `pypy` instead of `python`.', steps: ['Run `pypy`.'], predicate: undefined }],
    ['a value', { action: 'Retry 5 times, then run `python3`.' }],
    ['a step with a command', { steps: ['Run `python3`.', 'Run `python3 -m pip check`.'] }],
    ['the harness', { binding: { harness: 'other' } }],
    ['the project', { binding: { project: 'shop' } }],
    ['the environment', { binding: { environment: [{ name: 'python', value: '2.7' }] } }],
    ['the gate', { isGate: true }],
    ['the failure', { fingerprints: ['other'], applicability: '["shell","node","TypeError"]' }],
  ])('if %s differs', (_what, changes) => {
    expect(isSame({}, changes)).toBe(false);
    expect(isSame({ ...BY_HAND }, { ...BY_HAND, ...changes })).toBe(false);
  });

  it('if groups that do not meet decide on them', () => {
    const [sales, shop] = ['sales', 'shop'].map((department) => ({ audience: [{ department, role: null }] }));
    expect(isSame(sales ?? {}, shop ?? {})).toBe(false);
  });
});

const WORDS = ['old', 'new', 'build', 'host', 'never', 'twice', '`python`', '`python3`', '3', '5'];
const anySkill = fc
  .record({
    condition: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
    action: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
    isByRules: fc.boolean(),
    isConfirmed: fc.boolean(),
    agents: fc.integer({ min: 1, max: 3 }),
    executions: fc.integer({ min: 1, max: 3 }),
    version: fc.integer({ min: 1, max: 2 }),
    audience: fc.constantFrom([], [{ department: 'sales', role: null }]),
    skillName: fc.stringMatching(/^[a-z]{1,3}$/),
  })
  .map(({ condition, action, ...more }) =>
    testSkill({ ...more, condition: condition.join(' '), action: action.join(' '), predicate: undefined }),
  );

describe('a search for merges', () => {
  const find = (skills: readonly ReturnType<typeof testSkill>[]) => {
    const finder = new MergeFinder();
    for (const skill of [...skills].sort(compareSkills)) finder.add(readSkill(skill));
    return finder.result().map(({ keep, retire }) => `${retire.skillName} into ${keep.skillName}`);
  };
  const skills = fc.uniqueArray(anySkill, { selector: ({ skillName }) => skillName, minLength: 2, maxLength: 6 });

  it('finds the same pairs with the same skills to keep in every order', () => {
    fc.assert(
      fc.property(
        skills.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          expect(find(shuffled)).toEqual(find(list));
        },
      ),
    );
  });

  it('retires no skill that it keeps for another one, and none twice', () => {
    fc.assert(
      fc.property(skills, (list) => {
        const found = find(list).map((pair) => pair.split(' into '));
        const [retired, kept] = [found.map(([name]) => name), new Set(found.map(([, name]) => name))];
        expect(new Set(retired).size).toBe(retired.length);
        expect(retired.filter((name) => kept.has(name))).toEqual([]);
      }),
    );
  });

  it('keeps a confirmed skill before one with more agents, and says why', () => {
    const [few, many] = [
      testSkill({ skillName: 'few', agents: 3 }),
      testSkill({ skillName: 'many', agents: 9, isConfirmed: false }),
    ];
    expect(find([few, many])).toEqual(['many into few']);
    expect(mergeInWords({ keep: few, retire: many })).toBe(
      '"few" gives the same remedy for the same failures, and it stays because later executions confirmed it, and this one was only observed: 3 agents in 8 executions, here 9 agents in 8 executions.',
    );
  });
});
