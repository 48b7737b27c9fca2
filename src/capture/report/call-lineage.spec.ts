import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  callKeyField,
  callKeysOf,
  copiedCalls,
  countedCalls,
  countedKeys,
  type KeyedExecution,
  markCopies,
} from './call-lineage.js';

const AT = '2026-11-20T09:00:00.000Z';
const call = (id: string, command: string, at = AT) => ({ id, name: 'Bash', input: { command }, at });
const RANDOM = 'toolu_01A09q90qw90lq917835lq9';

describe('the keys of calls', () => {
  it('are those of their copies, and of no other call with the same id', () => {
    expect(callKeysOf([call('Bash:0', 'ls')])).toEqual(callKeysOf([call('Bash:0', 'ls', '2026-11-20T10:00:00+01:00')]));
    const [one, ...others] = [
      call('Bash:0', 'ls'),
      call('Bash:0', 'ls', '2026-11-20T09:00:01.000Z'),
      call('Bash:0', 'pwd'),
      call('Bash:1', 'ls'),
    ].flatMap((each) => callKeysOf([each]));
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set([one, ...others]).size).toBe(4);
  });

  it('are known by a random id with the call, also to what records no time of it', () => {
    const [key] = callKeysOf([call(RANDOM, 'ls')]);
    expect(callKeysOf([call(RANDOM, 'ls', 'some day')])).toEqual([key]);
    expect(callKeyField(RANDOM, { name: 'Bash', input: { command: 'ls' } })).toEqual({ callKey: key });
    expect(callKeysOf([call(RANDOM, 'pwd')])).not.toEqual([key]);
    for (const id of ['Bash:0', 'call_12', 'functions.run_terminal_command', 'toolu_0000000000000001', undefined])
      expect(callKeyField(id, call('', 'ls'))).toEqual({});
  });

  it('hold the time where a gateway gives all calls one id, and the number of the same call', () => {
    const later = '2026-11-20T09:00:01.000Z';
    const keys = callKeysOf([call(RANDOM, 'ls'), call(RANDOM, 'ls', later), call(RANDOM, 'ls', later)]);
    expect(new Set([...keys, ...callKeysOf([call(RANDOM, 'ls')])]).size).toBe(4);
  });

  it('hold the record of a copy that was written at another time', () => {
    const [first, fork] = [AT, '2026-11-20T12:00:00.000Z'].map((at) => ({
      ...call('call_0', 'ls', at),
      record: ['session', 1],
    }));
    expect(callKeysOf([first as never])).toEqual(callKeysOf([fork as never]));
  });

  it('are empty for a call without a time', () => {
    expect(callKeysOf([call('Bash:0', 'ls', '')])).toEqual(['']);
    expect(copiedCalls(keyed('a', 5, ['']), [keyed('b', 1, [''])])).toEqual([]);
  });
});

const keyed = (
  executionId: string,
  end: number,
  callKeys: readonly string[],
  outcomes: KeyedExecution['outcomes'] = {},
): KeyedExecution => ({ executionId, finishedAt: new Date(end), callKeys, outcomes });

describe('a call that several sessions hold', () => {
  it('counts in the one that ended first', () => {
    const first = keyed('z', 1, ['1', '2']);
    const [fork, copy] = [keyed('a', 2, ['1', '2', '3']), keyed('b', 1, ['1', '2'])];
    expect(copiedCalls(fork, [first, copy])).toEqual([0, 1]);
    expect(copiedCalls(first, [fork, copy])).toEqual([0, 1]);
    expect(copiedCalls(copy, [fork, first])).toEqual([]);
    expect(countedKeys(['1', '', '2', '1', '3'], [0, 3])).toEqual(['2', '3']);
    const calls = [call('', 'a'), call('', 'b'), call('', 'c')] as never[];
    expect(countedCalls(markCopies({ toolCalls: calls }, [0, 1]).toolCalls)).toEqual([call('', 'c')]);
  });

  it('counts, if it failed, in the first that overcame it, and before one that only got past it', () => {
    const first = keyed('first', 1, ['1', '2']);
    const [passed, overcome, later] = [
      keyed('passed', 2, ['1', '2', '3'], { '2': 1 }),
      keyed('overcome', 3, ['1', '2', '4'], { '2': 2 }),
      keyed('later', 4, ['1', '2', '5'], { '2': 2 }),
    ];
    const all = [first, passed, overcome, later];
    const copied = (own: KeyedExecution) =>
      copiedCalls(
        own,
        all.filter((other) => other !== own),
      );
    expect(all.map(copied)).toEqual([[1], [0, 1], [0], [0, 1]]);
  });

  it('counts once in any set of forks, whatever their order', () => {
    const forks = fc.array(
      fc.record({
        end: fc.nat(9),
        keys: fc.uniqueArray(fc.integer({ min: 0, max: 12 }).map(String)),
        outcomes: fc.dictionary(fc.integer({ min: 0, max: 12 }).map(String), fc.integer({ min: 1, max: 2 })),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(forks, fc.array(fc.nat()), (all, shuffle) => {
        const sessions = all.map(({ end, keys, outcomes }, n) => keyed(`s-${n}`, end, keys, outcomes));
        const shuffled = sessions
          .map((one, n) => [shuffle[n] ?? 0, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one);
        const counted = (set: readonly KeyedExecution[]): string[] =>
          set
            .flatMap((own) => {
              const copied = new Set(
                copiedCalls(
                  own,
                  set.filter((other) => other !== own),
                ),
              );
              return own.callKeys.flatMap((key, at) => (copied.has(at) ? [] : [`${key} in ${own.executionId}`]));
            })
            .sort();
        expect(counted(shuffled)).toEqual(counted(sessions));
        expect(counted(sessions)).toHaveLength(new Set(all.flatMap(({ keys }) => keys)).size);
      }),
      { numRuns: 500 },
    );
  });
});
