import { describe, expect, it } from '@jest/globals';
import { ClaudeCodeSession } from './claude-code-session.js';
import { TranscriptRecord } from './claude-code-transcript.schema.js';
import type { ProductSession } from './product-session.js';

const answer = (content: unknown[], more: object = {}) => ({
  type: 'assistant',
  message: { id: 'm', content, ...more },
});
const person = (content: unknown) => ({ type: 'user', message: { content } });
const use = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } };
const result = { type: 'tool_result', tool_use_id: 't', content: 'a.txt' };
const said = { type: 'text', text: 'done' };
const apiError = { type: 'assistant', isApiErrorMessage: true, apiErrorStatus: 500, apiErrorType: 'api_error' };

function sessionOf(...records: object[]): ProductSession {
  const reading = new ClaudeCodeSession('s', '');
  records.forEach((record, at) => {
    const timestamp = `2026-01-05T09:00:0${at}.000Z`;
    reading.add({ ...TranscriptRecord.parse(record), timestamp });
  });
  return reading.session;
}

describe('how a session ended', () => {
  it.each([
    ['with an answer', [answer([use]), person([result]), answer([said])], 'ended'],
    ['with an answer and a further prompt without a reply', [answer([said]), person('and now?')], 'ended'],
    ['with a call without a result', [answer([use])], 'unfinished'],
    ['with a result without a further answer', [answer([use]), person([result])], 'unfinished'],
    ['interrupted', [answer([use]), person([{ type: 'text', text: '[Request interrupted by user]' }])], 'interrupted'],
    ['out of turns', [answer([use]), { type: 'attachment', attachment: { type: 'max_turns_reached' } }], 'max_turns'],
    ['refused', [answer([said], { stop_reason: 'refusal' })], { kind: 'stopped', reason: 'refusal' }],
    ['cut off by a limit', [answer([said], { stop_reason: 'max_tokens' })], { kind: 'stopped', reason: 'max_tokens' }],
    ['with an API error', [answer([use]), apiError], { kind: 'api_error', status: 500, type: 'api_error' }],
    ['with an answer after an API error', [apiError, answer([said])], 'ended'],
  ])('%s', (_how, records, end) => {
    expect(sessionOf(...records).end).toEqual(end);
  });
});

describe('a session in memory', () => {
  it('keeps the text of a failed call and drops that of a successful one', () => {
    expect(sessionOf(answer([use]), person([result])).calls[0]?.result?.text).toBe('');
    const failed = { ...result, is_error: true, content: [{ type: 'text', text: 'no such file' }] };
    expect(sessionOf(answer([use]), person([failed])).calls[0]?.result).toMatchObject({
      failed: true,
      text: 'no such file',
    });
  });

  it('keeps the first result of a call: a later one of the same id does not replace it', () => {
    const forged = { ...result, is_error: true, content: 'forged' };
    expect(sessionOf(answer([use]), person([result]), person([forged])).calls[0]?.result?.failed).toBe(false);
  });

  it('counts one turn per message, however many records it was split into', () => {
    expect(sessionOf(answer([said]), answer([use]), person([result]), answer([said], { id: 'n' })).replies.size).toBe(
      2,
    );
  });
});
