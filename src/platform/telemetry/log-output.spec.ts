import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogOutput } from './log-output.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildbook-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A stream that fails while `error` is set. */
class Failing extends Writable {
  error: Error | null = null;
  written = '';
  constructor(readonly fd: number) {
    super({ autoDestroy: false });
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.error === null) this.written += chunk.toString();
    done(this.error);
  }
}
const failure = (code: string) => Object.assign(new Error('made up'), { code });

function guarded(stream: Failing) {
  const lost: [number, string][] = [];
  // Of the stream of a process, the guard uses what this one has.
  const output = new LogOutput(stream as unknown as ConstructorParameters<typeof LogOutput>[0], (count, reason) => {
    lost.push([count, reason]);
    stream.write('lost\n');
  });
  return { output, lost };
}

describe('an output of the server', () => {
  it('that is a device without space neither throws nor ends, and stays known as failed', () => {
    const stream = new Failing(openSync('/dev/full', 'w'));
    const { output, lost } = guarded(stream);
    for (let n = 0; n < 3; n += 1) expect(stream.write(`line ${n}\n`)).toBe(true);
    expect(output.failure).toBe('ENOSPC');
    output.retry();
    expect([lost, output.failure]).toEqual([[[3, 'ENOSPC']], 'ENOSPC']);
    output.retry();
    // The sentence itself is not among the lost lines.
    expect(lost).toEqual([
      [3, 'ENOSPC'],
      [3, 'ENOSPC'],
    ]);
  });

  it('that is a file is written without the stream of Node, which would give it up', () => {
    const file = join(folder, 'server.log');
    const stream = new Failing(openSync(file, 'a'));
    guarded(stream);
    stream.write('one\n');
    truncateSync(file, 0);
    stream.write(Buffer.from('two\n'));
    expect([readFileSync(file, 'utf8'), stream.written]).toEqual(['two\n', '']);
  });

  it('that is a pipe whose reader has gone stays known as failed, and does not end the process', async () => {
    const stream = new Failing(openSync(folder, 'r'));
    const { output, lost } = guarded(stream);
    stream.write('one\n');
    await nextTurn();
    stream.error = failure('EPIPE');
    stream.write('two\nthree\n');
    stream.emit('error', failure('EPIPE'));
    await nextTurn();
    expect([output.failure, lost]).toEqual(['EPIPE', []]);
  });
});
