import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallerTurns } from './caller-turns.js';

const TOO_MANY = { code: 'request.rate_limited', retryAfterSeconds: 1 };

describe('the turns of callers', () => {
  it('let a few of one caller begin, and any other caller at once', async () => {
    const turns = new CallerTurns(2, 10);
    const begun: string[] = [];
    const enter = (key: string, name: string) => {
      const { ready, leave } = turns.enter(key);
      void ready.then(() => begun.push(name));
      return leave;
    };
    const [first] = [enter('ada', 'ada 1'), enter('ada', 'ada 2'), enter('ada', 'ada 3'), enter('bo', 'bo 1')];
    await nextTurn();
    expect(begun).toEqual(['ada 1', 'ada 2', 'bo 1']);
    first?.();
    first?.();
    await nextTurn();
    expect(begun).toEqual(['ada 1', 'ada 2', 'bo 1', 'ada 3']);
  });

  it('refuse what one caller has beyond those that may wait', () => {
    const turns = new CallerTurns(1, 1);
    turns.enter('ada');
    const waiting = turns.enter('ada');
    expect(() => turns.enter('ada')).toThrow(expect.objectContaining(TOO_MANY));
    expect(() => turns.enter('bo')).not.toThrow();
    waiting.leave();
    expect(() => turns.enter('ada')).not.toThrow();
  });

  it('are taken by work that comes in another order only when it is next, which counts as open until it has left', async () => {
    const turns = new CallerTurns(1, 1);
    const begun: string[] = [];
    let join: () => void = () => undefined;
    const late = turns.enter('ada', (joinNow) => {
      join = joinNow;
    });
    void late.ready.then(() => begun.push('late'));
    const first = turns.enter('ada');
    void first.ready.then(() => begun.push('first'));
    expect(() => turns.enter('ada')).toThrow(expect.objectContaining(TOO_MANY));
    join();
    await nextTurn();
    expect(begun).toEqual(['first']);
    first.leave();
    await nextTurn();
    expect(begun).toEqual(['first', 'late']);
    late.leave();
    const gone = turns.enter('ada', (joinNow) => {
      join = joinNow;
    });
    gone.leave();
    join();
    turns.enter('ada');
    turns.enter('ada');
    expect(() => turns.enter('ada')).toThrow(expect.objectContaining(TOO_MANY));
  });

  it('never have more at work than allowed, and let all that stay begin, in their order', async () => {
    const anyEvents = fc.array(fc.record({ caller: fc.constantFrom('ada', 'bo'), gone: fc.boolean() }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(anyEvents, fc.integer({ min: 1, max: 3 }), async (events, atOnce) => {
        const turns = new CallerTurns(atOnce, events.length + 1);
        const active = new Map<string, number>();
        const begun: number[] = [];
        const works = events.map(async ({ caller, gone }, at) => {
          const turn = turns.enter(caller);
          if (gone) return turn.leave();
          await turn.ready;
          active.set(caller, (active.get(caller) ?? 0) + 1);
          expect(active.get(caller)).toBeLessThanOrEqual(atOnce);
          begun.push(at);
          await nextTurn();
          active.set(caller, (active.get(caller) ?? 0) - 1);
          turn.leave();
        });
        await Promise.all(works);
        for (const name of ['ada', 'bo']) {
          const stayed = events.flatMap(({ caller, gone }, at) => (caller === name && !gone ? [at] : []));
          expect(begun.filter((at) => events[at]?.caller === name)).toEqual(stayed);
        }
      }),
    );
  });
});
