import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { modelWriter } from '../../src/evolve/writers/model-writer.js';
import { readSet } from '../sets/set-reader.js';
import { measureSet } from '../transfer/measure-set.js';
import { examinedFamilies } from '../transfer/product-side.js';
import type { CommittedAnswer, GivenAnswers } from './given-answers.js';
import { type RecordedApi, startRecordedApi } from './recorded-api.js';
import { replaySet } from './replay.js';
import { ReplayedModel } from './replayed-model.js';
import { totalsOf, writtenJson } from './report.js';

const AGENTS = ['ada', 'ben', 'cyd', 'dan'];
const WRITER = 'recorded/answers/families-1';
const BY_MODEL = modelWriter(WRITER);

const SYNTAX = { tool: 'Bash', args: 'python close.py', ok: false, error: 'SyntaxError: invalid syntax' };
const TYPE = { tool: 'Bash', args: 'node sum.js', ok: false, error: 'TypeError: total is not a function' };

/** Sessions in which `python` fails and `python3` works, and in which most failures are others. */
const SESSIONS = Array.from({ length: 80 }, (_, at) =>
  JSON.stringify({
    id: `s${at}`,
    agent_id: AGENTS[at % AGENTS.length],
    task_id: `close ${at}`,
    harness: 'one-agent 1.0',
    tool_calls: [
      { tool: 'Bash', args: 'ls books', ok: true },
      ...[SYNTAX, SYNTAX],
      { tool: 'Bash', args: 'python3 close.py', ok: true },
      ...[TYPE, TYPE, TYPE],
    ],
  }),
).join('\n');

const SET = measureSet(readSet(SESSIONS, 'ledgers'), {
  draws: 0,
  nullCycles: 0,
  seed: 0,
  progress: () => undefined,
  now: () => 0,
  examine: (executions) => examinedFamilies(executions, BY_MODEL),
});
const FAMILY = SET.families.find(({ family }) => family.signature.includes('SyntaxError'))?.question?.family ?? '';

const LESSON: LessonAnswer = {
  decision: 'lesson',
  refusal: null,
  lesson: {
    title: 'Run the script with python3',
    condition: 'python fails with "SyntaxError: invalid syntax".',
    cause: '',
    steps: ['Run the same script with python3.'],
    gotchas: [],
    example: { number: 1, worked: 2 },
    binding: { harness: '', project: '', environment: '', tools: ['shell'] },
    predicate: {
      when: [{ tests: [{ test: 'error', value: 'SyntaxError: invalid syntax' }] }],
      follow: [{ tests: [{ test: 'args', value: '\\bpython3\\s' }] }],
      attempt: [],
      against: [],
      within: 8,
      covers: [],
      start: { action: [], form: [], prior: [] },
      execution: { first: [], before: [], after: [], did: [] },
    },
    quotes: ['SyntaxError: invalid syntax'],
    confidence: 'high',
  },
};
const REFUSAL: LessonAnswer = {
  decision: 'no_lesson',
  lesson: null,
  refusal: { kind: 'heterogeneous', reason: 'Each run failed for a reason of its own.' },
};

let api: RecordedApi;
beforeEach(async () => {
  api = await startRecordedApi();
});
afterEach(() => api.close());

async function replay(...answers: CommittedAnswer[]) {
  const given: GivenAnswers = {
    bySet: new Map([['ledgers', answers]]),
    recorded: { dossiers: [], lessons: [], hostile: [] },
  };
  const model = new ReplayedModel(api, WRITER);
  const found = await replaySet('ledgers', SET, { given, model, writer: BY_MODEL, draws: 0, seed: 0 });
  if (found === undefined) throw new Error('nothing was replayed');
  return { ...found, good: found.outcomes.filter(({ hostile }) => !hostile) };
}

describe('the replay of answers', () => {
  it('asks about a family through the Messages API, and checks the answer on the other half', async () => {
    const found = await replay({ family: FAMILY, answer: LESSON });
    expect(found.good).toMatchObject([{ id: FAMILY, outcome: 'confirmed', because: '', isQueued: true }]);
    expect(found.figures.written).toMatchObject({ confirmed: 1, covered: 0.4, coveredRecoverable: 1 });
    expect(found.figures.both.confirmed).toBeGreaterThanOrEqual(1);
    expect(api.used()).toMatchObject({ messages: found.outcomes.length });
    expect(api.used().inputTokens).toBeGreaterThan(100);
  });

  it('asks with bad answers that are made of a good one, and lets none through', async () => {
    const found = await replay({ family: FAMILY, answer: LESSON });
    expect(found.outcomes.length).toBeGreaterThan(15);
    expect(found.outcomes.filter(({ hostile, isQueued }) => hostile && isQueued)).toEqual([]);
    expect(totalsOf([found])).toMatchObject({ hostileThrough: 0, hostile: { own: { through: 0 } } });
  });

  it('counts the failures of the half that the answer was not learned from', async () => {
    const { errors } = (await replay({ family: FAMILY, answer: LESSON })).figures;
    expect(errors).toBeGreaterThan(0);
    expect(errors).toBeLessThan(SET.figures.errors);
  });

  it('says what was declined and why', async () => {
    const found = await replay({ family: FAMILY, answer: REFUSAL });
    expect(found.outcomes).toMatchObject([{ outcome: 'declined' }]);
    expect(found.outcomes[0]?.because).toMatch(/^heterogeneous: Each run/);
    expect(writtenJson(found).answers).toMatchObject({ given: 1, declined: 1, rejected: 0 });
  });

  it('reports an answer about a family that there is not, and a family without an answer', async () => {
    const gone = `sha256:${'0'.repeat(64)}`;
    const found = await replay({ family: gone, answer: LESSON });
    expect(found.outcomes).toMatchObject([{ id: gone, outcome: 'no_family', isQueued: false }]);
    expect(found.unanswered).toContain(FAMILY);
    expect(api.used().messages).toBe(0);
  });

  it('says why a lesson was rejected, and counts no bad one as good', async () => {
    const { lesson } = LESSON;
    if (lesson === null) throw new Error('no lesson');
    const invented: LessonAnswer = { ...LESSON, lesson: { ...lesson, cause: 'The replica_sync service is late.' } };
    const found = await replay({ family: FAMILY, answer: invented });
    expect(found.good).toMatchObject([{ outcome: 'rejected', isQueued: false }]);
    expect(found.good[0]?.because).toContain('replica_sync');
    expect(totalsOf([found])).toMatchObject({ hostileThrough: 0, good: 0 });
  });
});
