import { describe, expect, it } from '@jest/globals';
import { errorClass } from './error-class.js';
import { statedCause } from './stated-cause.js';

describe('a cause that a person or an evaluator states', () => {
  it.each([
    ['The agent assumed that every invoice is in euros.', 'cause-assumed'],
    ['Billing_Expert hallucinated the account number.', 'cause-made-up'],
    ['The expert gave last year as the period instead of the one asked for.', 'cause-made-up'],
    ['The agent wrote code that drops the empty rows.', 'cause-code'],
    ['The expert made a mistake when calculating the total of the wheels.', 'cause-result'],
    ['The assistant misread the table and took rows for columns.', 'cause-misread'],
    ['A plan that repeats the search for nothing', 'cause-plan'],
    ['The WebSurfer did not find the page that it was asked for.', 'cause-nothing-found'],
    ['The agent did not verify the sum before it answered with it, nor anything else', 'cause-result'],
  ])('%s', (text, cause) => {
    expect(statedCause(text)).toBe(cause);
    expect(errorClass(text)).toEqual({ name: cause, template: cause });
  });

  it.each([
    'Wrong number of functions.',
    "Missing required parameter: 'artist'.",
    'agent.py:12: the agent assumed x',
    'AssertionError: the agent did not verify',
    'make: *** No rule to make target',
  ])('is not found in the output of a program: %s', (text) => {
    expect(statedCause(text)).toBeUndefined();
  });
});
