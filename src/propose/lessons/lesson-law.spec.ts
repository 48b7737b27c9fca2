import { describe, expect, it } from '@jest/globals';
import { failurePayload } from '../../../test/support/payloads.js';
import { EvidenceText } from '../../evidence/gates/evidence-text.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { lawfulLesson, lawOf } from './lesson-law.js';

const shell = (call: string) => ({ tool: 'shell', call });
/** A failed call is quotable. */
const OBSERVED = {
  worked: [
    shell('docker build --network=host -t <image tag> .'),
    shell('NODE_ENV=test npm test'),
    shell('<folder>/python3 close.py'),
    { tool: 'find_user', call: '{"id":"4","limit":"10"}' },
  ],
  failed: [shell('docker build -t <image tag> .'), shell('npm test')],
  quotable: new EvidenceText('error: try --no-cache\nnpm test'),
};

const lesson = (change: Partial<Lesson> & { readonly action?: string; readonly rationale?: string }): Lesson => {
  const { action = 'Use the network.', rationale = 'It worked.', ...rest } = change;
  return {
    discovery: 'Builds fail.',
    activation: { condition: 'You are about to build.', action, rationale },
    steps: ['Build it.'],
    confidence: 0.6,
    tags: [],
    ...rest,
  };
};
const steps = (...lines: string[]) => lawfulLesson(lesson({ steps: lines }), OBSERVED)?.steps;

describe('a step of a lesson', () => {
  it.each([
    'Run `docker build --network=host -t <image tag> .`.',
    'Set `NODE_ENV=test`.',
    'Run `<folder>/python3 close.py`.',
    'Add `--network=host`.',
    'Write `-t <image tag>`.',
    'Call `find_user {"id":"4","limit":"10"}`.',
    'Give `find_user` the argument `limit`.',
    'Use `NODE_ENV=test npm test` instead of `npm test`.',
    'Read the error.',
    'Find out why "error: try --no-cache" is reported.',
  ])('stays if an observed call supports it: %s', (step) => {
    expect(steps(step)).toEqual([step]);
  });

  it.each([
    'Run `npm test`.',
    'Run `docker build --network host .`.',
    'Run `docker build --network=host --no-cache -t <image tag> .`.',
    'Add `-t`.',
    'Run `<command>`.',
    'Run `<command> <command>`.',
    'Set `NODE_ENV=`.',
    'Call `find_user {"id":"4"}`.',
    'Give it the argument `offset`.',
    'Run npm test --force.',
    'Run "npm test --force".',
    'Run npm test --no-cache.',
    'Set DEBUG=1 first.',
  ])('is removed if no observed call supports it: %s', (step) => {
    expect(steps('Read the error.', step)).toEqual(['Read the error.']);
  });

  it('is the last one whose removal leaves no lesson', () => {
    expect(steps('Run `npm run fix`.')).toBeUndefined();
  });
});

describe('the other texts of a lesson', () => {
  it('name no command that was not observed', () => {
    expect(lawfulLesson(lesson({ action: 'Run `npm run fix`.' }), OBSERVED)).toBeUndefined();
    expect(lawfulLesson(lesson({ rationale: 'As `npm run fix` does.' }), OBSERVED)).toBeUndefined();
    expect(lawfulLesson(lesson({ discovery: 'Try --fix.' }), OBSERVED)).toBeUndefined();
  });

  it('quote a failed call as failed in the condition and the cause, and as prose elsewhere', () => {
    const failing = lesson({ discovery: 'When `npm test` fails.', cause: '`npm test` has no database.' });
    const kept = lawfulLesson(
      { ...failing, activation: { ...failing.activation, condition: 'After `npm test`.' } },
      OBSERVED,
    );
    expect(kept).toMatchObject({
      discovery: 'When "npm test" fails.',
      cause: '`npm test` has no database.',
      activation: { condition: 'After `npm test`.' },
    });
  });

  it('lose a cause that no call supports', () => {
    const kept = lawfulLesson(lesson({ cause: 'Because of `make all`.' }), OBSERVED);
    expect(kept).not.toHaveProperty('cause');
  });
});

describe('the observed calls of a payload', () => {
  it('leave out a call that worked only because it skips a check', () => {
    const skipping = {
      tool: 'shell',
      call: 'git commit --no-verify',
      purpose: 'vcs:git commit',
      ok: true,
      skipsCheck: true,
    };
    const { worked } = lawOf(failurePayload({ calls: [skipping] }), '');
    expect(worked).not.toContainEqual(shell('git commit --no-verify'));
  });
});
