import { describe, expect, it } from '@jest/globals';
import { isPausedBy, type PausableSession, type PausedSessions } from './delivery-pause.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const ALL: PausedSessions = {
  person: { name: 'Olga Plain', email: 'olga@example.org' },
  project: null,
  session: null,
  until: null,
};
const SESSION: PausableSession = { owner: 'Olga Plain', projects: ['shop', 'acme/shop'], sessions: ['s~b', 's~c'] };

const isPaused = (pause: Partial<PausedSessions>, session: Partial<PausableSession> = {}) =>
  isPausedBy({ ...ALL, ...pause }, { ...SESSION, ...session }, NOW);

describe('a pause', () => {
  it('of a person covers the agents whose owner is the person, by name or address, and no others', () => {
    expect(isPaused({})).toBe(true);
    expect(isPaused({}, { owner: 'OLGA@example.org' })).toBe(true);
    expect(isPaused({}, { owner: 'platform-team' })).toBe(false);
    expect(isPaused({}, { owner: null })).toBe(false);
  });

  it('of a project covers it by its folder or its repository', () => {
    expect(isPaused({ project: 'shop' })).toBe(true);
    expect(isPaused({ project: 'acme/shop' })).toBe(true);
    expect(isPaused({ project: 'billing' })).toBe(false);
    expect(isPaused({ project: 'shop' }, { projects: [] })).toBe(false);
    expect(isPaused({ project: 'shop' }, { owner: 'platform-team' })).toBe(false);
  });

  it('of a session covers that one', () => {
    expect(isPaused({ session: 's~c' })).toBe(true);
    expect(isPaused({ session: 's~d' })).toBe(false);
    expect(isPaused({ session: 's~c', project: 'billing' })).toBe(false);
  });

  it('ends at its time', () => {
    expect(isPaused({ until: new Date(NOW.getTime() + 1) })).toBe(true);
    expect(isPaused({ until: NOW })).toBe(false);
  });
});
