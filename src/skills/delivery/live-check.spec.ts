import { describe, expect, it } from '@jest/globals';
import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import { replacesCheck } from './live-check.schema.js';

describe('a check of a live skill', () => {
  it('is replaced only by many tries: those that confirm it, or those that refute it', () => {
    const changes = VERDICTS.flatMap((known) =>
      VERDICTS.filter((found) => replacesCheck(known, found)).map((found) => `${known} > ${found}`),
    );
    expect(changes).toEqual([
      'confirmed > refuted',
      'observed > confirmed',
      'observed > refuted',
      'undecided > confirmed',
      'undecided > refuted',
      'refuted > confirmed',
    ]);
  });
});
