import { appendFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FOREIGN_FORMATS, type Session } from '../../../test/support/foreign-sessions.js';
import { openFile } from '../sources/open-file.js';
import { TranscriptReader } from './transcripts.js';

const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  task: 'Zahle die Rechnung der Bäckerei',
  steps: [
    { tool: 'Bash', input: { command: 'python close.py' }, error: 'SyntaxError: invalid syntax' },
    { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'done' },
  ],
  answer: 'Closed',
  end: 'normal',
  ...more,
});
const textOf = (format: string, of: Session): string =>
  (FOREIGN_FORMATS.find(({ importer }) => importer.format === format)?.lines(of) ?? []).join('\n');

describe('files that are not as they should be', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-hostile-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const read = async (name: string, content: string | Buffer) =>
    new TranscriptReader({ agentPer: 'project' }).read(await write(name, content));
  const SESSION = textOf('claude-code', session('s-1'));

  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['UTF-16, little end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['a mark of UTF-8', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['gzip of UTF-16', (text: string) => gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le'))],
  ])('give the same report in %s', async (_name, encoded) => {
    const { reports } = await read('plain.jsonl', SESSION);
    expect(reports).toHaveLength(1);
    expect((await read('encoded.jsonl', encoded(SESSION))).reports).toEqual(reports);
  });

  it.each([
    ['zip.json', Buffer.from('PK\u0003\u0004\u0014\u0000\u0000\u0000\u0008\u0000', 'latin1'), 'binary file'],
    ['latin1.jsonl', Buffer.from('{"task": "Bäckerei"}', 'latin1'), 'not UTF-8 text'],
    ['half.jsonl.gz', gzipSync(SESSION).subarray(0, 200), 'damaged gzip file'],
    ['bomb.json.gz', gzipSync(Buffer.alloc(257 * 1024 * 1024, ' ')), 'larger than 256 MiB when unpacked'],
    ['deep.json', `${'['.repeat(1_000_000)}`, 'unknown format'],
    ['deep.jsonl', `{"a":${'{"a":'.repeat(100_000)}`, 'unknown format'],
    ['other.jsonl', '{"name": "a package"}\n{"name": "another"}', 'unknown format'],
    ['blank.jsonl', ' \n\n\t\n', 'empty file'],
    ['empty.json', '', 'empty file'],
  ])('are left out with a reason: %s', async (name, content, reason) => {
    expect(await read(name, content)).toMatchObject({ reports: [], unreadReason: reason });
  });

  it('lose the lines that are damaged, and no others', async () => {
    const lines = SESSION.split('\n');
    const damaged = [
      ...lines.slice(0, 3),
      `{"type":${'['.repeat(10_000)}`,
      'x'.repeat(20_000_001),
      Buffer.from('{"type":"Bäckerei"}', 'latin1'),
      ...lines.slice(3),
      lines[1]?.slice(0, 30) ?? '',
    ];
    const content = Buffer.concat(damaged.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
    const { reports, badLines, skipped } = await read('damaged.jsonl', content);
    const whole = (await read('whole.jsonl', SESSION)).reports;
    const holes = reports.flatMap(({ report }) => report.toolCalls.filter(({ afterHole }) => afterHole === true));
    expect(holes).toHaveLength(1);
    const unmarked = reports.map(({ report, ...rest }) => ({
      ...rest,
      report: { ...report, toolCalls: report.toolCalls.map(({ afterHole: _mark, ...call }) => call) },
    }));
    expect(unmarked).toEqual(whole);
    expect({ badLines, skipped }).toEqual({
      badLines: 2,
      skipped: [
        { reason: 'place where records were lost', count: 2 },
        { reason: 'line longer than 20 MB', count: 1 },
        { reason: 'line that is not UTF-8', count: 1 },
      ],
    });
  });

  it.each([
    ['too long', Buffer.from(`{"type":"${'x'.repeat(20_000_000)}"}`)],
    ['not UTF-8', Buffer.from('{"type":"Bäckerei"}', 'latin1')],
  ])('continue nothing over a line that is %s', async (_name, line) => {
    for (const format of ['claude-code', 'codex', 'gemini', 'copilot']) {
      const lines = textOf(format, session('s-1')).split('\n');
      const second = lines.findIndex((one) => one.includes('python3 close.py'));
      const content = [...lines.slice(0, second), line, ...lines.slice(second)];
      const { reports } = await read(
        `${format}.jsonl`,
        Buffer.concat(content.flatMap((one) => [Buffer.from(one), Buffer.from('\n')])),
      );
      expect(reports[0]?.report.toolCalls.map(({ ok, afterHole }) => [ok, afterHole])).toEqual([
        [false, undefined],
        [true, true],
      ]);
    }
  });

  it('are not held when they are larger than a document may be', async () => {
    const size = 256 * 1024 * 1024 + 1;
    // Sparse files use no disk space.
    const started = await write('started.json', `{\n${' '.repeat(2_000)}\n`);
    await truncate(started, size);
    const document = await write(
      'document.json',
      `${JSON.stringify(JSON.parse(textOf('atif', session('t'))))}\n${' '.repeat(2_000)}\n`,
    );
    await truncate(document, size);
    const reader = new TranscriptReader({ agentPer: 'project' });
    expect((await reader.read(started)).unreadReason).toBe('unknown format, or a document larger than 256 MiB');
    expect((await reader.read(document)).unreadReason).toBe('larger than 256 MiB');
  });

  it('are noticed when they were shortened or rewritten while they are read, but may grow', async () => {
    const file = await write('live.jsonl', 'one\ntwo\n');
    const open = () => openFile(file);
    const [shortened, rewritten, grown] = [open(), open(), open()];
    appendFileSync(file, 'three\n');
    expect(grown.hasChanged()).toBe(false);
    writeFileSync(file, 'ONE\nTWO\n');
    utimesSync(file, 1, 1);
    expect(rewritten.hasChanged()).toBe(true);
    truncateSync(file, 3);
    expect(shortened.hasChanged()).toBe(true);
    for (const one of [shortened, rewritten, grown]) one.close();
  });

  it('give the same report twice when one is a copy of the other, so that the server knows the second', async () => {
    const reader = new TranscriptReader({ agentPer: 'project' });
    const first = await reader.read(await write('a.jsonl', SESSION));
    const copy = await reader.read(await write('b.jsonl.gz', gzipSync(SESSION)));
    expect(copy.reports).toEqual(first.reports);
    expect(copy.skipped).toEqual([]);
  });

  it('give the same report of a session that is copied among others, and every other session once', async () => {
    const reader = new TranscriptReader({ agentPer: 'project' });
    const first = await reader.read(await write('a.jsonl', SESSION));
    const lines = `${SESSION}\n${textOf('claude-code', session('s-2'))}`;
    const { reports } = await reader.read(await write('b.jsonl', lines));
    expect(reports.map(({ report }) => report.sessionId)).toEqual(['s-1', 's-2']);
    expect(reports[0]).toEqual(first.reports[0]);
  });

  it('hand on what they held until they were rewritten, and are named', async () => {
    const rows = ['s-1', 's-2', 's-3'].map((id) => textOf('runs', session(id))).join('\n');
    const file = await write('runs.jsonl', rows);
    const taken: (string | undefined)[] = [];
    const read = await new TranscriptReader({ agentPer: 'project' }).readEach(file, async ({ report }) => {
      taken.push(report.sessionId);
      truncateSync(file, 10);
      return true;
    });
    expect(taken).toEqual(['s-1']);
    expect(read).toMatchObject({ unreadReason: 'changed while it was read' });
  });

  it('keep both contents under one session id apart, so that the server can refuse the second', async () => {
    const reader = new TranscriptReader({ agentPer: 'project' });
    const [step] = session('').steps;
    const first = await reader.read(await write('a.jsonl', SESSION));
    const other = SESSION.replaceAll('python3 close.py', 'make close');
    const second = await reader.read(await write('b.jsonl', other));
    expect(second.reports[0]?.report.executionId).toBe(first.reports[0]?.report.executionId);
    expect(second.reports[0]?.report.toolCalls.map(({ action }) => action)).toEqual([
      String(step?.input['command']),
      'make close',
    ]);
  });
});
