import { describe, expect, it } from '@jest/globals';
import { Provenance } from './lesson.schema.js';
import { type ProvenanceEvent, provenanceAfter } from './provenance.js';

const EVENTS: readonly ProvenanceEvent[] = [
  'write',
  'write_without_verifier',
  'approve',
  'copy',
  'merge',
  'promote',
  'demote',
];
const ACTORS = ['agent', 'reviewer', 'admin', 'job'] as const;

/** All allowed transitions, as `from --event by--> to`. */
function allowed(): string[] {
  return [null, ...Provenance.options].flatMap((from) =>
    EVENTS.flatMap((event) =>
      ACTORS.flatMap((by) => {
        const to = provenanceAfter(from, event, by);
        return to === undefined ? [] : [`${from ?? 'nothing'} --${event} by ${by}--> ${to}`];
      }),
    ),
  );
}

describe('the provenance of a memory', () => {
  it('allows exactly these transitions', () => {
    expect(allowed()).toEqual([
      'nothing --write by agent--> unverified',
      'nothing --write by admin--> unverified',
      'nothing --write by job--> unverified',
      'nothing --write_without_verifier by agent--> unavailable_at_write_time',
      'nothing --write_without_verifier by job--> unavailable_at_write_time',
      'nothing --approve by reviewer--> verified',
      'verified --copy by reviewer--> verified',
      'verified --copy by job--> verified',
      'verified --demote by reviewer--> unverified',
      'verified --demote by job--> unverified',
      'unverified --copy by reviewer--> unverified',
      'unverified --copy by job--> unverified',
      'unverified --merge by job--> unverified',
      'unverified --promote by reviewer--> verified',
      'unverified --promote by job--> verified',
      'unavailable_at_write_time --copy by reviewer--> unavailable_at_write_time',
      'unavailable_at_write_time --copy by job--> unavailable_at_write_time',
      'unavailable_at_write_time --merge by job--> unavailable_at_write_time',
      'unavailable_at_write_time --promote by reviewer--> verified',
      'unavailable_at_write_time --promote by job--> verified',
      'unavailable_at_write_time --demote by reviewer--> unverified',
      'unavailable_at_write_time --demote by job--> unverified',
    ]);
  });

  it('is never changed by an agent or an administrator', () => {
    const moved = allowed().filter((line) => !line.startsWith('nothing'));
    expect(moved.filter((line) => /by (agent|admin)-/.test(line))).toEqual([]);
  });

  it('starts verified only if a person approves it', () => {
    expect(allowed().filter((line) => line.startsWith('nothing') && line.endsWith('verified'))).toEqual([
      'nothing --write by agent--> unverified',
      'nothing --write by admin--> unverified',
      'nothing --write by job--> unverified',
      'nothing --approve by reviewer--> verified',
    ]);
  });
});
