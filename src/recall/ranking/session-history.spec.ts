import { describe, expect, it } from '@jest/globals';
import { NOTHING_DELIVERED, SESSION_BYTES, SessionHistory } from './session-history.js';

describe('the history of a session', () => {
  it('grows with each answer, and its bytes reduce a budget of 60 KiB', () => {
    const session = new SessionHistory([]);
    expect([session.ids.size, session.bytesLeft]).toEqual([0, 61_440]);
    session.add(['a', 'b'], 2_000);
    session.add(['b'], 440);
    expect([[...session.ids], session.bytesLeft]).toEqual([['a', 'b'], 59_000]);
    session.add(['c'], SESSION_BYTES);
    expect(session.bytesLeft).toBe(0);
  });

  it('counts deliveries of another process with the maximum size of a record', () => {
    expect(new SessionHistory(['a', 'b']).bytesLeft).toBe(SESSION_BYTES - 2_400);
  });

  it('omits nothing when no session is given', () => {
    expect([NOTHING_DELIVERED.ids.size, NOTHING_DELIVERED.bytesLeft]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});
