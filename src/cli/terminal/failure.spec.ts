import { describe, expect, it, jest } from '@jest/globals';
import { CommanderError } from 'commander';
import { GuildbookError, NoResponseError } from '../../client/guildbook.js';
import { SettingsError } from '../../platform/config/config.errors.js';
import { CliError } from './cli-error.js';
import { describeFailure, fail, failureOf } from './failure.js';

const SERVER = 'http://127.0.0.1:4747';
const refusal = (code: string, detail: string, status = 401) =>
  new GuildbookError({ type: 'about:blank', title: 'No', status, code, detail });

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
      `${SERVER} does not respond (ECONNREFUSED).\nIf the server is not running, start it with: guildbook serve`,
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

describe('the exit status and the code of a failed command', () => {
  const missing = Object.assign(new Error('ENOENT: no such file or directory'), {
    code: 'ENOENT',
    syscall: 'open',
    path: 'edited.json',
  });

  it.each([
    ['a value that the server refuses', refusal('request.invalid', 'No.', 400), 2, 'request.invalid'],
    ['an invalid credential', refusal('access.unknown', 'No.', 401), 3, 'access.unknown'],
    ['a missing permission', refusal('access.scope_missing', 'No.', 403), 3, 'access.scope_missing'],
    ['a missing skill', refusal('skill.not_found', 'No.', 404), 4, 'skill.not_found'],
    ['a conflict', refusal('proposal.already_decided', 'No.', 409), 1, 'proposal.already_decided'],
    ['a rate limit', refusal('request.rate_limited', 'No.', 429), 1, 'request.rate_limited'],
    ['an error of the server', refusal('internal', 'No.', 500), 1, 'internal'],
    ['another server, whatever its status', refusal('not_guildbook', 'No.', 404), 5, 'not_guildbook'],
    ['a server that is not running', new NoResponseError(SERVER, 'unreachable', {}), 5, 'server.no_response'],
    ['a server that is too slow', new NoResponseError(SERVER, 'timeout', {}), 5, 'server.timeout'],
    ['invalid settings', new SettingsError('No.'), 2, 'settings.invalid'],
    [
      'a value of the wrong form',
      new CommanderError(1, 'commander.invalidArgument', 'error: x'),
      2,
      'usage.invalid_argument',
    ],
    ['a file that does not exist', missing, 2, 'file.unusable'],
    ['an error of a command', new CliError(4, 'name.unknown', 'No.'), 4, 'name.unknown'],
    ['any other error', new Error('No.'), 1, 'command.failed'],
  ])('of %s', (_, error, exit, code) => {
    expect(failureOf(error)).toMatchObject({ exit, code });
  });

  it('name the file that cannot be opened', () => {
    expect(describeFailure(missing)).toBe('edited.json: there is no such file or folder (ENOENT).');
  });
});

describe('a failure with --json', () => {
  /** What `fail` writes, and the status with which it ends the process. */
  function failed(error: unknown, json: boolean): { text: string; status: unknown } {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('ended');
    });
    try {
      expect(() => fail(error, json)).toThrow('ended');
      return { text: write.mock.calls.map(([text]) => String(text)).join(''), status: exit.mock.calls[0]?.[0] };
    } finally {
      write.mockRestore();
      exit.mockRestore();
    }
  }

  it('is one document with code, message and hint', () => {
    const { text, status } = failed(refusal('access.expired', 'Expired.\u001b[2J'), true);
    expect(text).not.toContain('\u001b');
    expect(JSON.parse(text)).toEqual({
      error: { code: 'access.expired', message: 'Expired.\u001b[2J', hint: expect.stringContaining('guildbook login') },
    });
    expect(status).toBe(3);
  });

  it('is text without it', () => {
    expect(failed(new CliError(4, 'name.unknown', 'There is no agent "x".'), false)).toEqual({
      text: 'Error: There is no agent "x".\n',
      status: 4,
    });
  });
});
