import { describe, expect, it } from '@jest/globals';
import type { Condition, LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { isSameRemedy, relationOf } from './claim-relation.js';

const NOT_FOUND = ['bash', 'wget', 'command', 'not', 'found'];
const claim = (...conditions: Partial<Condition>[]): LearnedClaim => ({
  key: '+curl',
  follow: ['+curl'],
  rivals: [],
  conditions: conditions.map((one) => ({
    tool: 'shell',
    call: ['wget', { one: 'url' }],
    error: NOT_FOUND,
    remedy: ['curl', '-O', { one: 'url' }],
    values: {},
    closed: {},
    said: NOT_FOUND,
    ...one,
  })),
});

describe('two lessons', () => {
  it('are apart if no failure is about both', () => {
    const ripgrep = { call: ['ripgrep', { any: 'more' }], error: ['bash', 'ripgrep', 'command', 'not', 'found'] };
    expect(relationOf(claim({}), claim(ripgrep))).toBe('apart');
    expect(relationOf(claim({}), claim({ tool: 'terminal' }))).toBe('apart');
    const [yaml, cv2] = ['yaml', 'cv2'].map((module) =>
      claim({ error: ['No', 'module', { one: 'module' }], closed: { module: [module] } }),
    );
    expect(yaml && cv2 && relationOf(yaml, cv2)).toBe('apart');
    expect(relationOf(claim({ said: ['a', 'b', 'c'] }), claim({ said: ['c', 'd', 'e'] }))).toBe('apart');
  });

  it('cover each other by call and error', () => {
    const wide = claim({ call: ['wget', { any: 'more' }] });
    expect([relationOf(wide, claim({})), relationOf(claim({}), wide)]).toEqual(['covers', 'covered']);
    expect(relationOf(claim({}), claim({ call: ['wget', { one: 'path' }] }))).toBe('same');
    const quiet = { call: ['wget', '-q', { one: 'url' }] };
    expect([relationOf(wide, claim({}, quiet)), relationOf(claim(quiet), claim({}, quiet))]).toEqual([
      'covers',
      'covered',
    ]);
  });

  it('overlap where neither covers the other', () => {
    const [first, last] = [
      claim({ call: ['wget', '-q', { any: 'more' }] }),
      claim({ call: ['wget', { any: 'more' }, 'a'] }),
    ];
    expect(relationOf(first, last)).toBe('overlaps');
  });

  it('advise the same if one asks for what the other asks for', () => {
    const asking = (...follow: string[]): LearnedClaim => ({ ...claim({ remedy: follow }), follow });
    expect(isSameRemedy(asking('+curl'), asking('+-O', '+curl'))).toBe(true);
    expect(isSameRemedy(asking('+curl'), asking('+aria2c'))).toBe(false);
    expect(isSameRemedy(asking('step npm ci'), asking('step npm ci --force'))).toBe(true);
    expect(isSameRemedy(asking('step npm ci'), asking('step npm cirun'))).toBe(false);
  });

  it('advise the same if one gives the remedy of the other after its failures', () => {
    const part = (before: string) => ({ part: 'branch', before, after: '' });
    const any = {
      ...claim({ call: ['push', part('HEAD:')], remedy: ['push', part('HEAD:refs/for/')] }),
      follow: ['+⟨i⟩'],
    };
    const given = (remedy: string): LearnedClaim => ({
      ...claim({ call: ['push', 'HEAD:next'], remedy: ['push', remedy] }),
      follow: [`+${remedy}`],
    });
    expect(isSameRemedy(any, given('HEAD:refs/for/next'))).toBe(true);
    expect(isSameRemedy(given('HEAD:refs/for/next'), any)).toBe(true);
    expect(isSameRemedy(any, given('HEAD:refs/for/main'))).toBe(false);
  });
});
