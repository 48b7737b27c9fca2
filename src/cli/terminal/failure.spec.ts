import { describe, expect, it } from '@jest/globals';
import { GuildbookError, NoAnswerError } from '../../client/guildbook.js';
import { describeFailure } from './failure.js';

const SERVER = 'http://127.0.0.1:4747';
const refusal = (code: string, detail: string) =>
  new GuildbookError({ type: 'about:blank', title: 'No', status: 401, code, detail });

describe('what a person reads when a command fails', () => {
  it('is the reason with its stable code', () => {
    expect(describeFailure(refusal('skill.not_found', 'There is no skill "x".'))).toBe(
      'There is no skill "x". (skill.not_found)',
    );
  });

  it('says how to go on after the sign-in ran out', () => {
    expect(describeFailure(refusal('access.expired', 'Expired.'))).toContain('guildbook login');
  });

  it('names the server that does not answer, and why', () => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    const said = describeFailure(new NoAnswerError(SERVER, 'unreachable', { cause }));
    expect(said).toBe(
      `${SERVER} does not answer (ECONNREFUSED). Is the server running there? Start it with: guildbook serve`,
    );
  });

  it('does not take a slow server for a stopped one', () => {
    expect(describeFailure(new NoAnswerError(SERVER, 'timeout', {}))).toContain('may still be at work');
  });

  it('is the message of anything else', () => {
    expect(describeFailure(new Error('There is no file "x".'))).toBe('There is no file "x".');
    expect(describeFailure('thrown text')).toBe('thrown text');
  });
});
