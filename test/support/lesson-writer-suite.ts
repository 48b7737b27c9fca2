import { describe, expect, it } from '@jest/globals';
import type { FamilyAnswer } from '../../src/evidence/answers/family-question.js';
import { failureTest } from '../../src/evidence/predicate/compiled-predicate.js';
import { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import type { LessonWriter, WriterSample, Writing } from '../../src/evolve/writers/lesson-writer.js';
import { run, type WorkKind } from './observed-work.js';
import { PYTHON_FLEET, writerSample } from './writer-sample.js';

/** A writer, and what it was answered about a sample; undefined of one that asks no model. */
export interface WriterUnderTest {
  readonly writer: LessonWriter;
  readonly answerOf: (sample: WriterSample) => FamilyAnswer | undefined;
  /** The key of its lesson about the fleet with the wrong interpreter. */
  readonly key: string;
}

/** Samples that no writer may stumble over. */
const ODD_FLEETS: readonly (readonly [string, readonly WorkKind[]])[] = [
  ['one failure', [{ of: 1, calls: [run('python a.py', 'boom')] }]],
  ['failures that nothing overcame', [{ of: 9, calls: [run('x', 'boom'), run('x', 'boom')] }]],
  ['errors without a text', [{ of: 9, calls: [run('x', ''), run('y')] }]],
  ['errors that are patterns', [{ of: 9, calls: [run('x ((', 'error: (((a+)+)+[ *'), run('y ((')] }]],
  ['a long call', [{ of: 9, calls: [run(`x ${'a '.repeat(3_000)}`, 'error: boom'), run('y')] }]],
];

/** What every writer of lessons must do. */
export function lessonWriterSuite(what: string, { writer, answerOf, key }: WriterUnderTest): void {
  const write = (sample: WriterSample): Writing => writer.write(sample, answerOf(sample));

  describe(`${what}, as a writer of lessons`, () => {
    it('writes a candidate about a failure that others overcame', () => {
      const { candidates, rejected } = write(writerSample());
      expect(rejected).toBeUndefined();
      expect(candidates).toMatchObject([{ key, how: 'replace', action: 'python3' }]);
    });

    it('names itself in every candidate', () => {
      for (const one of write(writerSample()).candidates) expect(one.by).toBe(writer.name);
    });

    it('writes predicates that the check accepts, and that hold for a failure of the family', () => {
      const sample = writerSample();
      const failures = sample.executions.flatMap(({ calls }) => calls.filter(sample.isMember));
      for (const { predicate } of write(sample).candidates) {
        expect(Predicate.parse(predicate)).toEqual(predicate);
        const isAbout = failureTest(predicate);
        expect(failures.some((call) => isAbout?.(call))).toBe(true);
      }
    });

    it('writes the same about the same sample', () => {
      expect(write(writerSample())).toEqual(write(writerSample()));
    });

    it('does not depend on the order of the executions', () => {
      expect(write(writerSample(PYTHON_FLEET, (all) => [...all].reverse()))).toEqual(write(writerSample()));
    });

    it('leaves the sample as it is', () => {
      const sample = writerSample();
      const before = JSON.stringify([sample.executions, sample.dossier]);
      write(sample);
      expect(JSON.stringify([sample.executions, sample.dossier])).toBe(before);
    });

    it('writes no candidate about a family without a failure', () => {
      const sample = writerSample();
      expect(write({ ...sample, isMember: () => false }).candidates).toEqual([]);
      expect(write({ ...sample, executions: [] }).candidates).toEqual([]);
    });

    it('gives candidates with one key once', () => {
      const keys = write(writerSample()).candidates.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    });

    it.each(ODD_FLEETS)('does not throw at %s', (_what, fleet) => {
      const sample = writerSample(fleet);
      for (const { predicate } of write(sample).candidates) expect(() => Predicate.parse(predicate)).not.toThrow();
      expect(() => writer.question(sample, 9)).not.toThrow();
    });

    it('asks about a sample with its own dossier, or not at all', () => {
      const sample = writerSample();
      const asked = writer.question(sample, 48);
      if (asked !== null)
        expect(asked).toEqual({
          family: sample.family.fingerprint,
          executions: 48,
          dossier: sample.dossier,
          learnedFrom: sample.learnedFrom,
        });
    });
  });
}
