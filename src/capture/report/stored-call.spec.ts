import { describe, expect, it } from '@jest/globals';
import type { CallArgument, ToolCall } from './execution-report.schema.js';
import { storedCall } from './stored-call.js';

const call = (change: Partial<ToolCall>): ToolCall => ({ name: 'Bash', action: 'npm test', ok: false, ...change });
const argumentsOf = (name: string, ...args: CallArgument[]) => storedCall(call({ name, arguments: args })).arguments;
const text = (key: string, value: string): CallArgument => ({ key, type: 'text', value });

describe('the stored form of a call', () => {
  it('is the call itself if nothing is to be done', () => {
    const whole = call({
      errorMessage: 'Exit code 1\nerror: no',
      errorLine: 'error: no',
      arguments: [text('cabin', 'economy'), { key: 'limit', type: 'number', value: '3' }],
      reply: { position: 1, calls: 2 },
      ran: true,
    });
    expect(storedCall(whole)).toBe(whole);
  });

  it.each([
    ['dir C:\\Users\\ann\\shop', 'dir ~\\shop'],
    ['dir "C:\\Users\\Ann Lee\\shop\\x.ps1"', 'dir "~\\shop\\x.ps1"'],
    ['type c:/users/ann/x.txt', 'type ~/x.txt'],
  ])('has no person in the home folder of Windows, whose backslashes a shell takes away: %s', (action, stored) => {
    expect(storedCall(call({ action })).action).toBe(stored);
  });

  it('has no row of a file that a failing command printed', () => {
    const printed = { action: 'cat customers.csv && false', errorMessage: 'Exit code 1\n17,Ann Canary,Berlin' };
    expect(storedCall(call({ ...printed, errorLine: '17,Ann Canary,Berlin' }))).toEqual(
      call({ action: printed.action, errorMessage: 'Exit code 1\n[output without an error line]' }),
    );
  });

  it('has no folder that a tool works in in its error line', () => {
    const errorLine = 'File does not exist. Current working directory: /srv/acme/shop';
    const stored = storedCall({ name: 'Read', action: '', ok: false, errorLine });
    expect(stored.errorLine).toBe('File does not exist. Current working directory: [path]');
    expect(storedCall(stored)).toBe(stored);
  });

  it('has no error line that is a sentence of a printed file', () => {
    const action = 'head -3 letter.txt; false';
    expect(storedCall(call({ action, errorLine: 'Dear Ann, the payment failed.' })).errorLine).toBeUndefined();
  });

  it.each([
    ['Write', text('content', 'secret plan'), { length: 11 }],
    ['Agent', text('prompt', 'find the bug'), { length: 12 }],
    ['send_reply', text('words', 'Dear Ann'), { length: 8 }],
    ['Edit', text('new_string', 'x'), { length: 1 }],
    ['book', text('first_name', 'Ann'), { length: 3 }],
    ['Bash', text('command', 'cat a'), { length: 5 }],
    ['query', text('sql', 'select 1\nfrom a'), { length: 15 }],
    ['book', { key: 'passengers', type: 'list', value: '[1]' } as const, { length: 3 }],
    ['book', { key: 'who', type: 'object', value: '{"first_name": "Ann"}' } as const, { length: 21 }],
    ['book', { key: 'count', type: 'number', value: 'Ann Lee' } as const, { length: 7 }],
  ])('keeps of content only what it is: %s %j', (tool, argument, kept) => {
    const { value: _none, ...rest } = argument;
    expect(argumentsOf(tool, argument)).toEqual([{ ...rest, ...kept }]);
  });

  it.each([
    ['mcp__postgres__query', text('sql', 'select id from users')],
    ['multitasking_list', text('filter', 'open or late')],
  ])('keeps what a tool is asked whose name only holds such a word: %s %j', (tool, argument) => {
    expect(argumentsOf(tool, argument)).toEqual([argument]);
  });

  it('says the kind of the file that content is for', () => {
    expect(argumentsOf('Write', text('file_path', 'src/a.py'), text('content', 'print(1)'))).toEqual([
      text('file_path', 'src/a.py'),
      { key: 'content', type: 'text', length: 8, fileKind: '.py' },
    ]);
  });

  it.each([
    ['sql', 'select name from teachers'],
    ['pattern', 'def close'],
    ['cabin', 'economy'],
    ['file_path', 'src/a.py'],
  ])('keeps other values: %s', (key, value) => {
    expect(argumentsOf('tool', text(key, value))).toEqual([text(key, value)]);
  });

  it('has no private part in a value', () => {
    expect(argumentsOf('fetch', text('url', 'https://shop.example.com/a?user=ann'))).toEqual([text('url', '[url]')]);
    expect(argumentsOf('Read', text('path', '/home/ann/job/a.py'))).toEqual([text('path', '[path]/a.py')]);
  });

  it('has no name of an argument that is data or that JavaScript gives a meaning', () => {
    const args = argumentsOf('tool', text('ann@example.com', 'x'), text('__proto__', 'x'), text('constructor', 'x'));
    expect(args).toEqual([text('[text]', 'x')]);
  });
});
