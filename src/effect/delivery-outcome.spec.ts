import { describe, expect, it } from '@jest/globals';
import type { Predicate } from '../evidence/predicate/predicate.schema.js';
import { reportedCalls } from '../evolve/evidence/recorded-execution.js';
import { outcomeTest, REACH } from './delivery-outcome.js';

const PYTHON3: Predicate = {
  when: { tool: 'shell', args: '\\bpython\\b', error: 'SyntaxError' },
  follow: { tool: 'shell', args: '\\bpython3\\b', sameAction: true },
};
const DESCRIBE_FIRST: Predicate = {
  when: { tool: 'sql', action: 'sql select', error: "doesn't exist" },
  follow: { action: 'sql desc' },
  attempt: { sameAction: true },
};

const shell = (action: string, error?: string) => ({
  name: 'Bash',
  action,
  ok: error === undefined,
  ...(error === undefined ? {} : { errorMessage: `Exit code 1\n${error}`, errorLine: error }),
});
const sql = (query: string, error?: string) => ({
  name: 'sql',
  action: JSON.stringify({ query }),
  ok: error === undefined,
  ...(error === undefined ? {} : { errorMessage: error, errorLine: error }),
});
const failed = shell('python close.py', 'SyntaxError: invalid syntax');
const missing = sql('SELECT a FROM job', "Table 'x.job' doesn't exist");
const judge = (predicate: Predicate, ...toolCalls: Parameters<typeof reportedCalls>[0]['toolCalls']) =>
  outcomeTest(predicate)(reportedCalls({ toolCalls }), 0);

describe('what a session did after a failure', () => {
  it('followed the lesson, and it worked', () => {
    expect(judge(PYTHON3, failed, shell('ls'), shell('python3 close.py'))).toEqual({
      followed: true,
      otherwise: undefined,
      overcome: true,
      calls: 2,
      again: 0,
    });
  });

  it('followed the lesson in vain, after it had tried in another way', () => {
    const error = 'SyntaxError: invalid syntax';
    expect(judge(PYTHON3, failed, failed, shell('python3 close.py', error))).toMatchObject({
      followed: false,
      otherwise: false,
      overcome: false,
      calls: undefined,
    });
  });

  it('did something else that worked', () => {
    expect(judge(PYTHON3, failed, shell('python ./close.py'))).toMatchObject({
      followed: undefined,
      otherwise: true,
      overcome: true,
      calls: 1,
    });
  });

  it('came too late to count as followed or overcome', () => {
    const others = Array.from({ length: 5 }, () => shell('ls'));
    expect(judge(PYTHON3, failed, ...others, shell('python3 close.py'))).toMatchObject({
      followed: undefined,
      overcome: false,
      calls: 6,
    });
  });

  it('failed in the same way again', () => {
    expect(judge(PYTHON3, failed, shell('ls'), failed, failed)).toMatchObject({ again: 2, overcome: false });
  });

  it('took the step before the action that the lesson asks for', () => {
    expect(judge(DESCRIBE_FIRST, missing, sql('DESC jobs'), sql('SELECT a FROM jobs'))).toMatchObject({
      followed: true,
      overcome: true,
      calls: 2,
    });
    expect(judge(DESCRIBE_FIRST, missing, sql('DESC jobs'))).toMatchObject({ followed: undefined, overcome: false });
    expect(judge(DESCRIBE_FIRST, missing, sql('SELECT a FROM jobs'))).toMatchObject({
      followed: undefined,
      otherwise: true,
    });
  });
});

describe('what a session did after a failure that the core knows', () => {
  const condition = { tool: 'shell', error: [], values: {}, closed: {}, said: [] };
  const LEARNED: Predicate = {
    learned: {
      key: '+python3',
      follow: ['+python3'],
      rivals: [],
      conditions: [{ ...condition, call: ['python', 'close.py'], remedy: ['python3', 'close.py'] }],
    },
  };
  const STEP: Predicate = {
    learned: {
      key: 'step make seed',
      follow: ['step make seed'],
      rivals: [],
      conditions: [
        { ...condition, call: ['python', 'close.py'], step: ['make', 'seed'], remedy: ['python', 'close.py'] },
      ],
    },
  };
  const again = shell('python close.py', 'SyntaxError: invalid syntax');

  it('followed the lesson, and it worked or did not', () => {
    expect(judge(LEARNED, failed, shell('ls'), shell('python3 close.py'))).toEqual({
      followed: true,
      otherwise: undefined,
      overcome: true,
      calls: 2,
      again: 0,
    });
    expect(judge(LEARNED, failed, shell('python3 close.py', 'KeyError: 1'))).toMatchObject({
      followed: false,
      overcome: false,
      calls: undefined,
    });
  });

  it('first tried another way', () => {
    expect(judge(LEARNED, failed, again, shell('python3 close.py'))).toEqual({
      followed: true,
      otherwise: false,
      overcome: true,
      calls: 2,
      again: 1,
    });
    expect(judge(LEARNED, failed, shell('python -O close.py'))).toMatchObject({
      followed: undefined,
      otherwise: true,
      overcome: true,
    });
  });

  it('counts a step only with the call after it', () => {
    expect(judge(STEP, failed, shell('make seed'), shell('python close.py'))).toMatchObject({
      followed: true,
      otherwise: undefined,
      calls: 2,
    });
    expect(judge(STEP, failed, shell('make seed'))).toMatchObject({ followed: undefined, overcome: false });
    expect(judge(STEP, failed, shell('python close.py'))).toMatchObject({ followed: undefined, otherwise: true });
  });

  it('did it too late', () => {
    const looks = Array.from({ length: REACH }, () => shell('ls'));
    expect(judge(LEARNED, failed, ...looks, shell('python3 close.py'))).toMatchObject({
      followed: undefined,
      overcome: false,
      calls: REACH + 1,
    });
  });

  it('did something else', () => {
    expect(judge(LEARNED, failed, shell('python3 other.py'), shell('ls'))).toEqual({
      followed: undefined,
      otherwise: undefined,
      overcome: false,
      calls: undefined,
      again: 0,
    });
  });
});
