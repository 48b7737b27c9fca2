import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../../../test/support/messages-api.js';
import { anyPayload, failurePayload, successPayload } from '../../../test/support/payloads.js';
import { Lesson } from '../../memory/store/lesson.schema.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { RulesProposer } from '../lessons/rules.proposer.js';
import { AnthropicProposer } from './anthropic.proposer.js';
import { PromptWriter } from './prompt.js';
import { type LessonProposer, NO_LESSON_REASONS, type ProposerResult } from './proposer.js';

let api: MessagesApi;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterAll(() => api.close());

function anthropic(): LessonProposer {
  const settings = { apiKey: 'k', model: 'claude-haiku-5-5', maxTokens: 1_500, minConfidence: 0.5, timeoutMs: 5_000 };
  const prompts = new PromptWriter({ failure: 'Learn.', success: 'Learn.', payload: '{{{fenced}}}' });
  return new AnthropicProposer({ ...settings, baseUrl: api.url }, prompts, () => 'ab'.repeat(16));
}

interface Implementation {
  readonly name: string;
  readonly make: () => LessonProposer;
  /** Prepares the case without anything to learn. */
  readonly nothingToLearn: () => void;
  readonly runs: number;
}

const IMPLEMENTATIONS: readonly Implementation[] = [
  { name: 'rules', make: () => new RulesProposer(), nothingToLearn: () => {}, runs: 500 },
  { name: 'anthropic', make: anthropic, nothingToLearn: () => api.answer(ANSWERS.noUpdate()), runs: 30 },
];

function check(proposed: ProposerResult): void {
  // The schema is strict: it refuses a control field.
  if (proposed.outcome === 'lesson') expect(Lesson.parse(proposed.lesson)).toEqual(proposed.lesson);
  else if (proposed.outcome === 'none') expect(NO_LESSON_REASONS).toContain(proposed.reason);
  else expect(proposed.reason).not.toBe('');
}

describe.each(IMPLEMENTATIONS)('the $name proposer, like every proposer,', ({ make, nothingToLearn, runs }) => {
  it('has a name with its version', () => {
    expect(make().name).toMatch(/^[a-z]+\/.*\d$/);
    expect(make().name).toBe(make().name);
  });

  it('writes a lesson for a failure that was overcome, and for a verified success', async () => {
    api.answer(ANSWERS.lesson());
    for (const payload of [failurePayload(), successPayload()]) {
      const proposed = await make().propose(payload);
      expect(proposed.outcome).toBe('lesson');
      check(proposed);
    }
  });

  it('reports that there is nothing to learn', async () => {
    nothingToLearn();
    const payload = failurePayload({ obstacles: [], status: 'aborted' });
    expect(await make().propose(payload)).toMatchObject({ outcome: 'none', reason: 'no_update' });
  });

  it('stays within all limits for any payload, and is deterministic', async () => {
    api.answer(ANSWERS.lesson());
    await fc.assert(
      fc.asyncProperty(anyPayload, async (payload) => {
        const proposed = await make().propose(payload);
        check(proposed);
        expect(await make().propose(payload)).toEqual(proposed);
      }),
      { numRuns: runs },
    );
  });

  it('does not change the payload', async () => {
    const payload = failurePayload();
    await make().propose(payload);
    expect(payload).toEqual(failurePayload());
  });

  it('writes nothing to redact for a redacted payload', async () => {
    api.answer(ANSWERS.lesson());
    const { value } = redactDeep(
      failurePayload({ obstacles: [], errorMessage: 'password=hunter2hunter', status: 'failed' }),
    );
    const proposed = await make().propose(value);
    expect(redactDeep(proposed).redactions).toEqual([]);
  });
});
