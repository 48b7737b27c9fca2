import { expect, it } from '@jest/globals';
import { claimsSame, publicPredicate } from './generalised-texts.js';

it.each([
  '\\bpython3\\b',
  String.raw`(?:^|[\s"'\x60|&()=,:{}]|\\[nrt])python3(?:$|[\s"'\x60|&()=,:{}\\])`,
  'course_teach\\.teachers',
  'git (push|pull) --force',
  '"limit"\\s*:',
  'no such file or directory: (.*)',
])('keeps a predicate with the pattern %s as it is', (args) => {
  const predicate = { when: { args } };
  expect(publicPredicate(predicate)).toBe(predicate);
});

it.each(['/home/ann/secret-project', '\\/srv\\/payroll\\/2026', 'ann@corp\\.example\\.org', 'AKIA2E0A8F3B244C9986'])(
  'leaves out a predicate with the private pattern %s',
  (args) => {
    expect(publicPredicate({ when: { tool: 'shell' }, follow: [{ args }] })).toBeUndefined();
  },
);

it('compares claims by their values', () => {
  expect(
    claimsSame({ predicate: { when: { tool: 'a', args: 'b' } } }, { predicate: { when: { args: 'b', tool: 'a' } } }),
  ).toBe(true);
  expect(claimsSame({}, { predicate: { when: { tool: 'a' } } })).toBe(false);
});

it('keeps what the learning core found, without the private values of open places', () => {
  const learned = {
    key: '-origin/master',
    follow: ['+origin/main', '-origin/master'],
    rivals: [],
    conditions: [
      {
        tool: 'shell',
        call: ['git', 'diff', 'origin/master', { one: 'file' }],
        error: ['fatal', 'bad', 'revision'],
        remedy: ['git', 'diff', 'origin/main', { one: 'file' }],
        values: { file: ['src/a.ts', '/home/ann/shop/b.ts'] },
        closed: {},
        said: ['fatal'],
      },
    ],
  };
  const [condition] = learned.conditions;
  if (condition === undefined) throw new Error('no condition');
  expect(publicPredicate({ learned })).toEqual({
    learned: { ...learned, conditions: [{ ...condition, values: { file: ['src/a.ts'] } }] },
  });
  const call = ['git', 'diff', '/home/ann/shop/b.ts'];
  expect(publicPredicate({ learned: { ...learned, conditions: [{ ...condition, call }] } })).toBeUndefined();
  const closed = { file: ['/home/ann/shop/b.ts'] };
  expect(publicPredicate({ learned: { ...learned, conditions: [{ ...condition, closed }] } })).toBeUndefined();
});
