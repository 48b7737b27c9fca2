import { describe, expect, it } from '@jest/globals';
import { GuildbookError, NoResponseError } from '../../client/guildbook.js';
import { describeFailure } from './failure.js';

const SERVER = 'http://127.0.0.1:4747';
const refusal = (code: string, detail: string) =>
  new GuildbookError({ type: 'about:blank', title: 'No', status: 401, code, detail });

describe('the error text of a command', () => {
  it('is the reason with its stable code', () => {
    expect(describeFailure(refusal('skill.not_found', 'There is no skill "x".'))).toBe(
      'There is no skill "x". (skill.not_found)',
    );
  });

  it('explains how to continue after the sign-in has expired', () => {
    expect(describeFailure(refusal('access.expired', 'Expired.'))).toContain('guildbook login');
  });

  it('names the server that does not respond, and the reason', () => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    const said = describeFailure(new NoResponseError(SERVER, 'unreachable', { cause }));
    expect(said).toBe(
      `${SERVER} does not respond (ECONNREFUSED). If the server is not running, start it with: guildbook serve`,
    );
  });

  it('distinguishes a slow server from a stopped one', () => {
    expect(describeFailure(new NoResponseError(SERVER, 'timeout', {}))).toContain('may still be working');
  });

  it('is the message of any other error', () => {
    expect(describeFailure(new Error('There is no file "x".'))).toBe('There is no file "x".');
    expect(describeFailure('thrown text')).toBe('thrown text');
  });
});
