import { describe, expect, it } from '@jest/globals';
import { NOTHING_DELIVERED, SESSION_BYTES, SessionHistory } from './session-history.js';

describe('what a session was told', () => {
  it('grows with each answer, and its bytes come out of 60 KB', () => {
    const session = new SessionHistory([]);
    expect([session.ids.size, session.bytesLeft]).toEqual([0, 61_440]);
    session.add(['a', 'b'], 2_000);
    session.add(['b'], 440);
    expect([[...session.ids], session.bytesLeft]).toEqual([['a', 'b'], 59_000]);
    session.add(['c'], SESSION_BYTES);
    expect(session.bytesLeft).toBe(0);
  });

  it('counts what another process told at the most that a record takes', () => {
    expect(new SessionHistory(['a', 'b']).bytesLeft).toBe(SESSION_BYTES - 2_400);
  });

  it('leaves nothing out where nobody asks', () => {
    expect([NOTHING_DELIVERED.ids.size, NOTHING_DELIVERED.bytesLeft]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});
