import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../platform/base/clock.js';
import { openSessionMemory, type SessionMemory, type SessionMemoryOptions } from './sessions.js';

let place: string;
let folder: string;
let at: string;

beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'guildbook-files-')));
  folder = join(place, 'memory');
  at = '2026-05-15T08:00:00.000Z';
});
afterEach(() => rm(place, { recursive: true, force: true }));

class SetClock extends Clock {
  now(): Date {
    return new Date(at);
  }
}
const opened = (more: Partial<SessionMemoryOptions> = {}): Promise<SessionMemory> =>
  openSessionMemory({ folder, project: 'shop', agent: 'build-bot', clock: new SetClock(), ...more });
const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  );
const file = (name: string): string => join(folder, ...name.split('/'));
const text = (name: string): Promise<string> => readFile(file(name), 'utf8');
const edit = async (name: string, from: string, to: string): Promise<void> =>
  writeFile(file(name), (await text(name)).replace(from, to));
const rows = async (): Promise<unknown> => JSON.parse(await text('index.json'));

const FIRST = 'sessions/2026-05-15-08h00.md';

/** A closed session with one fact. */
async function session(fact: string, id: string): Promise<void> {
  const memory = await opened({ session: id });
  await memory.save({ kind: 'fact', content: fact, tags: ['work'] });
  await memory.close();
}

describe('the session files', () => {
  it('have the name of their minute, and an index', async () => {
    await session('fixtures are golden', 's-1');
    await session('ports are open', 's-2');
    expect(await readdir(file('sessions'))).toEqual(['2026-05-15-08h00-2.md', '2026-05-15-08h00.md']);
    expect(await rows()).toMatchObject({
      version: 1,
      sessions: [
        { path: 'sessions/2026-05-15-08h00-2.md', summary: 'Remembered: ports are open.' },
        { path: FIRST, date: at, project: 'shop', entries: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    });
  });

  it('are written with each entry, so that nothing waits for the end of the session', async () => {
    const memory = await opened();
    await memory.save({ kind: 'decision', content: 'use python3' });
    expect(await text(FIRST)).toContain('- use python3');
    await memory.save({ kind: 'decision', content: 'and uv' });
    expect(await readdir(file('sessions'))).toHaveLength(1);
  });

  it('show an edit by a person in the next recall and in the next session, as the person’s', async () => {
    await session('fixtures live in testdata/', 's-1');
    const running = await opened();
    await running.recall('fixtures');
    await edit(FIRST, 'fixtures live in testdata/\n', 'fixtures live in testdata/golden/\n');
    for (const memory of [running, await opened()])
      expect((await memory.recall('fixtures', { kinds: ['fact'] }))[0]).toMatchObject({
        summary: 'fixtures live in testdata/golden/',
        provenance: { by: 'person' },
      });
    await edit(FIRST, 'Remembered: fixtures live in testdata/.', 'We moved the fixtures.');
    expect(await (await opened()).preamble()).toContain('"session":"We moved the fixtures."');
    expect(await rows()).toMatchObject({ sessions: [{ summary: 'We moved the fixtures.' }] });
  });

  it('may be edited while their session writes to them', async () => {
    const memory = await opened({ session: 's-1' });
    await memory.save({ kind: 'fact', content: 'one' });
    await edit(FIRST, '- one', '- one, corrected');
    await writeFile(file(FIRST), `${await text(FIRST)}\n## Plans\n\nship it\n`);
    await memory.save({ kind: 'fact', content: 'two' });
    await memory.close();
    const found = await (await opened()).read('s-1');
    expect(found.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['one, corrected', 'two', 'Plans\nship it']),
    );
  });

  it('may be renamed and deleted: the rows of the index follow', async () => {
    await session('fixtures are golden', 's-1');
    await session('ports are open', 's-2');
    const memory = await opened();
    await rm(file('sessions/2026-05-15-08h00-2.md'));
    await rename(file(FIRST), file('sessions/fixtures.md'));
    expect(await memory.recall('ports')).toEqual([]);
    expect((await memory.recall('fixtures')).map(({ path }) => path)).toContain('sessions/fixtures.md');
    expect(await rows()).toMatchObject({ sessions: [{ path: 'sessions/fixtures.md' }] });
  });

  it('are followed by their session when they are renamed', async () => {
    const memory = await opened({ session: 's-1' });
    await memory.save({ kind: 'fact', content: 'one' });
    await rename(file(FIRST), file('sessions/renamed.md'));
    await memory.save({ kind: 'fact', content: 'two' });
    expect(await readdir(file('sessions'))).toEqual(['renamed.md']);
    expect(await text('sessions/renamed.md')).toMatch(/- one\n[\s\S]*- two\n/);
  });

  it('keep a summary deleted that a person deleted, and write one for a session that never ended', async () => {
    await session('fixtures are golden', 's-1');
    await writeFile(file(FIRST), (await text(FIRST)).replace(/## Summary[\s\S]*?(?=## Facts)/, ''));
    const killed = await opened({ session: 's-2' });
    await killed.save({ kind: 'decision', content: 'use python3' });
    at = '2026-05-16T08:00:00.000Z';
    await opened();
    expect(await text(FIRST)).not.toContain('## Summary');
    expect(await text('sessions/2026-05-15-08h00-2.md')).toContain('## Summary\n\nDecided: use python3.');
  });

  it('get a new summary if their session went on after another one had summarised it, and then died', async () => {
    const killed = await opened({ session: 's-1' });
    await killed.save({ kind: 'decision', content: 'use python3' });
    await opened({ session: 's-2' });
    expect(await text(FIRST)).toContain('Decided: use python3.');
    at = '2026-05-15T09:00:00.000Z';
    await killed.save({ kind: 'decision', content: 'and uv' });
    await opened({ session: 's-3' });
    expect(await text(FIRST)).toContain('## Summary\n\nDecided: use python3; and uv.\n');
    expect((await text(FIRST)).match(/## Summary/g)).toHaveLength(1);
  });

  it('can be closed again after closing them failed', async () => {
    const memory = await opened({ session: 's-1' });
    await memory.save({ kind: 'decision', content: 'use python3' });
    expect(await failure(memory.close({ turns: -1 }))).toMatchObject({ fields: [{ field: 'turns' }] });
    await rename(file('sessions'), file('moved'));
    await symlink(file('moved'), file('sessions'));
    expect(await failure(memory.close())).toMatchObject({ code: 'memory.redirected' });
    await rm(file('sessions'));
    await rename(file('moved'), file('sessions'));
    await memory.close();
    expect(await text(FIRST)).toContain('## Summary');
  });

  it('of a person without an id are read, and never changed', async () => {
    await mkdir(file('sessions'), { recursive: true });
    await writeFile(file('sessions/notes.md'), '## Facts\n- written by hand\n');
    const memory = await opened();
    expect(await memory.recall('hand')).toMatchObject([{ provenance: { by: 'person' }, path: 'sessions/notes.md' }]);
    expect(await text('sessions/notes.md')).toBe('## Facts\n- written by hand\n');
  });
});

describe('a damaged memory', () => {
  it.each(['{"version":1,"sess', '[]', '{"version":1,"sessions":[{"path":1}]}'])(
    'has its index set aside and rebuilt: %s',
    async (damaged) => {
      await session('fixtures are golden', 's-1');
      const whole = await text('index.json');
      await writeFile(file('index.json'), damaged);
      expect(await (await opened()).recall('golden')).not.toEqual([]);
      expect([await text('index.json'), await text('index.json.damaged-1')]).toEqual([whole, damaged]);
    },
  );

  it('has a file set aside whose bytes are no text, and keeps the entries that are whole', async () => {
    const memory = await opened({ session: 's-1' });
    await memory.save({ kind: 'fact', content: 'the whole one' });
    await memory.save({ kind: 'fact', content: 'the broken one' });
    await session('of another file', 's-2');
    const bytes = await readFile(file(FIRST));
    bytes[bytes.lastIndexOf('broken')] = 0xff;
    await writeFile(file(FIRST), bytes);
    const next = await opened();
    expect(
      (await next.recall('one', { kinds: ['fact'] })).map(({ summary, provenance }) => [summary, provenance.by]),
    ).toEqual([['the whole one', 'agent']]);
    expect(await readFile(file(`${FIRST}.damaged-1`))).toEqual(bytes);
    expect(await next.recall('another')).not.toEqual([]);
  });

  it('says what it could not use', async () => {
    await session('fixtures are golden', 's-1');
    const memory = await opened();
    await writeFile(file('sessions/zeros.md'), Buffer.alloc(4_096));
    await writeFile(file('sessions/large.md'), 'x'.repeat(600_000));
    await memory.recall('golden');
    expect(memory.problems()).toEqual([
      { path: 'sessions/large.md', problem: 'too_large' },
      { path: 'sessions/zeros.md', problem: 'damaged' },
    ]);
    expect(await readdir(file('sessions'))).toEqual(['2026-05-15-08h00.md', 'large.md', 'zeros.md.damaged-1']);
  });

  it('is not repaired by a reader', async () => {
    await session('fixtures are golden', 's-1');
    await writeFile(file('index.json'), '{');
    await (await opened({ readOnly: true })).recall('golden');
    expect(await text('index.json')).toBe('{');
  });

  it('skips and counts damaged lines of JSON, and keeps them', async () => {
    const memory = await opened({ store: 'jsonl' });
    await memory.save({ kind: 'fact', content: 'one' });
    await writeFile(file('memory.jsonl'), `${await text('memory.jsonl')}{"kind":"fact","cont\n{"kind":"spell"}\n`);
    await memory.save({ kind: 'fact', content: 'two' });
    expect(await memory.recall('', { kinds: ['fact'] })).toHaveLength(2);
    expect(memory.problems()).toEqual([{ path: 'memory.jsonl', problem: 'damaged', skipped: 2 }]);
    expect(await text('memory.jsonl')).toContain('{"kind":"fact","cont\n');
  });

  it('of many lines is read from its end', async () => {
    const lines = Array.from({ length: 10_050 }, (_, n) => JSON.stringify({ kind: 'fact', content: `fact ${n}` }));
    await mkdir(folder);
    await writeFile(file('memory.jsonl'), lines.join('\n'));
    const memory = await opened({ store: 'jsonl' });
    expect((await memory.recall('10049')).map(({ summary }) => summary)).toEqual(['fact 10049']);
    expect((await memory.recall('49', { limit: 50 })).map(({ summary }) => summary)).not.toContain('fact 49');
    expect(memory.problems()).toEqual([{ path: 'memory.jsonl', problem: 'too_many', skipped: 50 }]);
  });

  it.each(['markdown', 'jsonl'] as const)('keeps the whole entries of its one file (%s)', async (store) => {
    const name = store === 'markdown' ? 'memory.md' : 'memory.jsonl';
    const memory = await opened({ store });
    await memory.save({ kind: 'fact', content: 'the whole one' });
    await memory.save({ kind: 'fact', content: 'the broken one' });
    const bytes = await readFile(file(name));
    bytes[bytes.indexOf('broken')] = 0;
    await writeFile(file(name), bytes);
    const reader = await opened({ store, readOnly: true });
    for (const one of [reader, memory]) {
      expect((await one.recall('one')).map(({ summary }) => summary)).toEqual(['the whole one']);
      expect(one.problems()).toContainEqual({ path: name, problem: 'damaged' });
    }
    expect(await readFile(file(`${name}.damaged-1`))).toEqual(bytes);
    expect(await memory.recall('one')).toHaveLength(1);
    expect(memory.problems()).toEqual([]);
  });
});

describe('a symbolic link', () => {
  const redirected = { code: 'memory.redirected' };
  let elsewhere: string;
  beforeEach(async () => {
    elsewhere = join(place, 'elsewhere');
    await mkdir(elsewhere);
  });

  it('cannot redirect the folder, a folder above it or the folder of the sessions', async () => {
    await symlink(elsewhere, join(place, 'link'));
    await symlink(join(place, 'nowhere'), join(place, 'dangling'));
    for (const path of ['link', 'link/memory', 'link/a/b', 'dangling', 'dangling/memory'])
      expect(await failure(opened({ folder: join(place, path) }))).toMatchObject(redirected);
    await mkdir(folder);
    await symlink(elsewhere, file('sessions'));
    expect(await failure(opened())).toMatchObject(redirected);
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('that appears while a session runs is refused as well', async () => {
    const memory = await opened();
    await memory.save({ kind: 'fact', content: 'one' });
    await rm(file('sessions'), { recursive: true });
    await symlink(elsewhere, file('sessions'));
    expect(await failure(memory.save({ kind: 'fact', content: 'two' }))).toMatchObject(redirected);
    expect(await failure(memory.recall('one'))).toMatchObject(redirected);
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('is no session file and no index', async () => {
    await session('fixtures are golden', 's-1');
    await writeFile(join(elsewhere, 'target.md'), '## Facts\n- from elsewhere\n');
    await symlink(join(elsewhere, 'target.md'), file('sessions/2026-05-16-08h00.md'));
    const memory = await opened();
    expect(await memory.recall('elsewhere')).toEqual([]);
    expect(memory.problems()).toEqual([{ path: 'sessions/2026-05-16-08h00.md', problem: 'not_a_file' }]);
    await rm(file('index.json'));
    await symlink(join(elsewhere, 'target.md'), file('index.json'));
    expect(await failure(opened())).toMatchObject(redirected);
  });

  it.each(['markdown', 'jsonl'] as const)('is not the one file of a memory (%s)', async (store) => {
    await mkdir(folder);
    const target = join(elsewhere, 'target');
    await writeFile(target, 'untouched');
    await symlink(target, file(store === 'markdown' ? 'memory.md' : 'memory.jsonl'));
    const memory = await opened({ store });
    expect(await memory.recall('untouched')).toEqual([]);
    expect(await failure(memory.save({ kind: 'fact', content: 'x' }))).toMatchObject(redirected);
    expect(await readFile(target, 'utf8')).toBe('untouched');
  });
});
