import { describe, expect, it } from '@jest/globals';
import { compareClaims } from '../../../test/support/claims.js';
import { exchangesIn, undoEachOther } from './claim-polarity.js';
import { isSubsumedBy, parseClaim } from './supersession.js';

const LEAVE_OUT = 'Leave the folder out: run `ls <file>` instead of `ls <folder>/<file>`.';
const PUT_IN = 'Put the missing folders before the path: run `ls <folder>/<file>` instead of `ls <file>`.';
const claim = (action: string, confidence = 0.9) => ({
  condition: 'A shell command is given a path that does not exist',
  action,
  confidence,
  applicability: 'shell ls → path-not-found',
});

describe('two lessons that exchange one form of a call for another', () => {
  it.each([
    ['a folder before a path', LEAVE_OUT, PUT_IN],
    [
      'a change of the folder',
      'Run `make` instead of `cd <folder> && make`.',
      'Run `cd <folder> && make` instead of `make`.',
    ],
    ['a flag', 'Run `npm ci` rather than `npm ci --force`.', 'Run `npm ci --force` instead of `npm ci`.'],
  ])('conflict if one leaves out what the other puts in: %s', (_part, one, other) => {
    expect(compareClaims(claim(one), claim(other, 0.99))).toBe('CONFLICT');
    expect(compareClaims(claim(other, 0.99), claim(one))).toBe('CONFLICT');
    expect(isSubsumedBy(parseClaim(claim(one)), parseClaim(claim(other)))).toBe(false);
  });

  it('do not undo each other if both put something in', () => {
    const quiet = exchangesIn('Run `npm ci --quiet` instead of `npm ci`.');
    const forced = exchangesIn('Run `npm ci --force` instead of `npm ci`.');
    expect(undoEachOther(quiet, forced)).toBe(false);
    expect(undoEachOther(quiet, quiet)).toBe(false);
  });

  it('are one lesson if both leave the same out', () => {
    expect(isSubsumedBy(parseClaim(claim(LEAVE_OUT)), parseClaim(claim(`${LEAVE_OUT} It stands there already.`)))).toBe(
      true,
    );
  });
});
