import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ServerLogger } from './server-logger.js';

const SECRET = 'a made-up secret';

afterEach(() => {
  jest.restoreAllMocks();
});

function written(log: (logger: ServerLogger) => void, format: 'json' | 'text'): string {
  const lines: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  log(new ServerLogger(format, (text) => text.replaceAll(SECRET, '[removed]')));
  jest.restoreAllMocks();
  return lines.join('');
}

describe.each(['json', 'text'] as const)('the log as %s', (format) => {
  it.each<[string, (logger: ServerLogger) => void]>([
    ['a message', (logger) => logger.log(`signed in with ${SECRET}`, 'Context')],
    [
      'an error with its stack',
      (logger) => logger.error(`failed: ${SECRET}`, `Error: ${SECRET}\n    at x (y.ts:1:1)`, 'Context'),
    ],
    ['several messages', (logger) => logger.warn('one', `two ${SECRET}`, 'Context')],
  ])('never holds a token: %s', (_, log) => {
    const text = written(log, format);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('[removed]');
    expect(text).toContain('Context');
  });

  it('keeps ordinary lines as they are', () => {
    expect(written((logger) => logger.log('stopping: SIGTERM', 'Server'), format)).toContain('stopping: SIGTERM');
  });
});

describe('a record in JSON', () => {
  it('never holds a token inside an object or an error', () => {
    const text = written((logger) => {
      logger.log({ nested: { token: `x ${SECRET}` } }, 'Context');
      logger.error(new Error(`at ${SECRET}`));
    }, 'json');
    expect(text).not.toContain(SECRET);
    for (const line of text.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ pid: process.pid });
  });
});
