import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { noteComparer } from './note-statement.js';

const AT = new Date('2026-03-04T12:00:00Z');
const note = (content: string, kind = 'fact') => ({ kind, content, contentSha256: `${kind} ${content}` });
const marks = (content: string, kept: string, kind = 'fact') =>
  noteComparer()(note(content, kind), [{ ...note(kept, kind), id: 'a', createdAt: AT }]).map(({ is }) => is);

describe('a new note', () => {
  it.each([
    ['need the VPN', 'never need the VPN'],
    ['host db2', 'host db9'],
    ['The tests need the VPN.', 'The tests never need the VPN'],
    ['The staging database runs on host db2', 'the staging database runs on host db9'],
    ['the port of the shop is 5432', 'The port of the shop is 5433'],
    ['retry 3 times', 'retry 5 times'],
    ['the cache is enabled in CI', 'the cache is disabled in CI'],
    ['use tabs', 'do not use tabs'],
    ['migrate before the deploy', 'migrate after the deploy'],
  ])('contradicts what cannot hold with it: %s', (a, b) => {
    expect([marks(a, b), marks(b, a)]).toEqual([['contradiction'], ['contradiction']]);
  });

  it.each([
    ['Fixtures live in testdata/golden/', 'the fixtures live in testdata/golden/.'],
    ['Run the tests with pnpm in CI', 'In CI run tests with pnpm'],
  ])('says the same as one in other words: %s', (a, b) => {
    expect([marks(a, b), marks(b, a)]).toEqual([['same'], ['same']]);
  });

  it.each([
    ['the tests need the VPN', 'the deploy never takes the VPN of the bank'],
    ['staging runs on host db2', 'the reports of the bank come from db9'],
    ['the shop listens on port 5432', 'the bank keeps its vault on port 5433'],
    ['python3 closes the books', 'python2 builds the old reports'],
    ['use tabs', 'use pnpm'],
    ['deploy on Fridays', 'Rosa is on call on Fridays'],
  ])('leaves alone what is about something else: %s', (a, b) => {
    expect([marks(a, b), marks(b, a)]).toEqual([[], []]);
  });

  it('is compared in both directions alike', () => {
    const words = fc
      .array(fc.constantFrom('need', 'the', 'never', 'vpn', 'db2', 'db9', 'host', '5', '6', 'port', 'before'), {
        minLength: 1,
        maxLength: 6,
      })
      .map((all) => all.join(' '));
    fc.assert(fc.property(words, words, (a, b) => expect(marks(a, b)).toEqual(marks(b, a))));
  });
});
