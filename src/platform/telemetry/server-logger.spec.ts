import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ServerLogger } from './server-logger.js';
import { runInWork, runOutsideRequests } from './spans.js';

const SECRET = 'a made-up secret';

afterEach(() => {
  jest.restoreAllMocks();
});

function written(log: (logger: ServerLogger) => void, format: 'auto' | 'json' | 'text', isTerminal = false): string {
  const lines: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  log(new ServerLogger(format, (text) => text.replaceAll(SECRET, '[removed]'), isTerminal));
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

describe('the log without a chosen format', () => {
  const say = (logger: ServerLogger) => {
    logger.log('GET /v1/skills 200', 'Request');
    logger.log('stopping: SIGINT', 'Server');
    logger.warn('the disk is nearly full', 'Disk');
  };

  it('is text on a terminal, without the line of each request', () => {
    const text = written(say, 'auto', true);
    expect(text).not.toContain('/v1/skills');
    expect(text).toMatch(/\[Guildbook\].*stopping: SIGINT/);
    expect(text).toContain('the disk is nearly full');
    expect(text).not.toContain('{"');
  });

  it('is one record per line elsewhere', () => {
    const lines = written(say, 'auto').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).context)).toEqual(['Request', 'Server', 'Disk']);
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

describe('a value of a record', () => {
  it('that was clean is not cleaned again; one with a token is, each time', () => {
    const cleaned: string[] = [];
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const logger = new ServerLogger('json', (text) => {
      cleaned.push(text);
      return text.replaceAll(SECRET, '[removed]');
    });
    for (let n = 0; n < 3; n += 1) logger.log({ route: '/v1/things/:id', header: `x ${SECRET}` }, 'Context');
    jest.restoreAllMocks();
    expect(cleaned.filter((text) => text === '/v1/things/:id')).toHaveLength(1);
    expect(cleaned.filter((text) => text === `x ${SECRET}`)).toHaveLength(3);
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain(SECRET);
  });

  it('is found clean for a bounded number of short texts only', () => {
    const cleaned: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const logger = new ServerLogger('json', (text) => {
      cleaned.push(text);
      return text;
    });
    const long = 'x'.repeat(101);
    for (let n = 0; n < 1_200; n += 1) logger.log({ id: `id ${n}`, ...(n < 2 ? { long } : {}) }, 'Context');
    logger.log({ id: 'id 0' }, 'Context');
    jest.restoreAllMocks();
    expect(cleaned.filter((text) => text === long)).toHaveLength(2);
    expect(cleaned.filter((text) => text === 'id 0')).toHaveLength(2);
  });
});

describe('a line of a request', () => {
  const line = (format: 'json' | 'text') =>
    written(
      (logger) => runInWork({ requestId: 'request-12345' }, () => logger.log('request', { status: 200 }, 'Request')),
      format,
    );

  it('has its fields and the id of its request beside the message', () => {
    expect(JSON.parse(line('json'))).toMatchObject({
      message: 'request',
      context: 'Request',
      status: 200,
      requestId: 'request-12345',
    });
    expect(line('text')).toContain('[Request] (request-12345) request status=200');
  });

  it('has no field that replaces one of the record', () => {
    const text = written((logger) => logger.log('request', { level: 'fatal', message: 'other' }, 'Request'), 'json');
    expect(JSON.parse(text)).toMatchObject({ level: 'log', message: 'request' });
  });

  it('has no id outside a request', () => {
    const text = written(
      (logger) =>
        runInWork({ requestId: 'request-12345' }, () => runOutsideRequests(() => logger.log('work', 'Worker'))),
      'json',
    );
    expect(JSON.parse(text)).not.toHaveProperty('requestId');
  });
});

describe.each(['json', 'text'] as const)('hostile text in the log as %s', (format) => {
  const forged = 'name\n{"level":"log","message":"forged"}\u001b[2J\u009b1m';

  it('makes no line of its own and controls no terminal', () => {
    const text = written((logger) => {
      logger.error(forged, 'Context');
      logger.log('request', { value: forged }, 'Context');
    }, format);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there.
    expect(text).not.toMatch(/[\u001b\u009b]/);
    expect(text.split('\n').filter((one) => one.startsWith('{"level":"log","message":"forged"'))).toEqual([]);
  });
});
