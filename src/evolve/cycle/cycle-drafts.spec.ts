import { describe, expect, it } from '@jest/globals';
import { observedWork } from '../../../test/support/observed-work.js';
import {
  lessonAnswer,
  PYTHON_FLEET,
  PYTHON_LESSON,
  storedAnswer,
  writerSample,
} from '../../../test/support/writer-sample.js';
import type { WrittenWords } from '../writers/lesson-writer.js';
import { modelWriter } from '../writers/model-writer.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from './cycle.js';

const writer = modelWriter('anthropic/model/families-1');

/** A cycle in which a model has answered with a lesson; `change`: what it says beyond the gates of its writer. */
function cycle(change: Partial<WrittenWords> = {}): CycleOutcome {
  const sample = writerSample();
  const answer = storedAnswer(sample, lessonAnswer());
  const changed: typeof writer = {
    ...writer,
    write: (...input) => {
      const { candidates, ...others } = writer.write(...input);
      return {
        ...others,
        candidates: candidates.map((one) => ({ ...one, words: one.words && { ...one.words, ...change } })),
      };
    },
  };
  return runCycle({
    executions: observedWork(PYTHON_FLEET),
    settings: { ...CYCLE_DEFAULTS, writing: { writer: changed, answers: new Map([[answer.family, answer]]) } },
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
  });
}

const about = ({ drafts }: CycleOutcome) => drafts.filter(({ evidence }) => evidence.template.includes('SyntaxError'));
const ofFamily = ({ examination }: CycleOutcome) =>
  examination.candidates.filter(({ family }) => family.signature.includes('SyntaxError'));

describe('a lesson that a model wrote', () => {
  it("becomes a draft with its words, the evidence's example and the history of the rules", () => {
    const [draft, ...others] = about(cycle());
    expect(others).toEqual([]);
    expect(draft?.text).toMatchObject({
      title: PYTHON_LESSON.title,
      condition: PYTHON_LESSON.condition,
      cause: PYTHON_LESSON.cause,
      steps: PYTHON_LESSON.steps,
      name: 'run-scripts-with-python3',
      example: { failed: { call: 'python a.py' }, worked: { call: 'python3 a.py' } },
    });
    expect(draft?.text.discovery).toMatch(/^Use when a script that is run with `python` fails/);
    expect(draft?.writer).toMatchObject({
      by: writer.name,
      answer: 'sha256:answer',
      confidence: 'high',
      other: { by: 'rules' },
    });
    expect(draft?.calls.worked).toContainEqual({ tool: 'shell', call: 'python3 a.py' });
  });

  it('that the gates refuse is listed with what they found, and the lesson of the rules stands', () => {
    const outcome = cycle({ cause: '`perl6` was removed from this machine.' });
    const [draft, ...others] = about(outcome);
    expect(others).toEqual([]);
    expect(draft?.text.title).toBe('Run `python3 a.py` instead of `python a.py`');
    const refused = ofFamily(outcome).find(({ by }) => by === writer.name);
    expect(refused).toMatchObject({ because: 'gate', title: PYTHON_LESSON.title });
    expect(refused?.findings.join()).toContain('perl6');
    expect(outcome.written).toEqual({ lessons: 1, declined: {}, rejected: { draft: 1 } });
  });

  it('with a step that would have to be cut has no words, and the lesson of the rules stands', () => {
    const outcome = cycle({ steps: [`Run the same script with \`python3\`, ${'and wait '.repeat(70)}`] });
    expect(about(outcome).map(({ text }) => text.title)).toEqual(['Run `python3 a.py` instead of `python a.py`']);
    expect(ofFamily(outcome).find(({ by }) => by === writer.name)?.because).toBe('no_words');
  });

  it('leaves the candidates of the rules listed as the history of the winner', () => {
    const rules = ofFamily(cycle()).filter(({ by }) => by === 'rules');
    expect(rules.map(({ because }) => because)).toContain('other_writer');
  });
});
