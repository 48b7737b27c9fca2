import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../platform/base/clock.js';
import { openSessionMemory } from '../../session-stores/sessions.js';
import { createProgram } from '../program/program.js';

let place: string;
let folder: string;

class SetClock extends Clock {
  now(): Date {
    return new Date('2026-05-15T08:00:00.000Z');
  }
}

beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'guildbook-sessions-')));
  folder = join(place, '.guildbook');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(place, { recursive: true, force: true });
});

async function session(): Promise<void> {
  const memory = await openSessionMemory({
    folder,
    project: 'shop',
    agent: 'build-bot',
    session: 'run-0001',
    clock: new SetClock(),
  });
  await memory.save({ kind: 'decision', content: 'compaction keeps calls\n\u202ehidden', tags: ['compaction'] });
  await memory.save({ kind: 'fact', content: 'fixtures are golden' });
  await memory.close({ asked: 'work on compaction' });
}

/** Runs a command and returns what it printed. */
async function printed(...words: string[]): Promise<string> {
  const spy = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await createProgram().parseAsync([...words, '--folder', folder], { from: 'user' });
    return spy.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    spy.mockRestore();
  }
}

describe('guildbook sessions', () => {
  it('lists sessions with their summary, as text and as JSON', async () => {
    await session();
    const text = await printed('sessions');
    expect(text).toMatch(/^date +session +entries +tags +summary$/m);
    expect(text).toMatch(/^2026-05-15 +2026-05-15-08h00 +3 +compaction \S+ \S+ +Asked: work on compaction\. Decided/m);
    expect(JSON.parse(await printed('--json', 'sessions', 'list'))).toMatchObject({
      items: [{ session: 'run-0001', path: 'sessions/2026-05-15-08h00.md', entries: 3, project: 'shop' }],
      problems: [],
    });
  });

  it.each(['2026-05-15-08h00', '2026-05-15-08h00.md', 'sessions/2026-05-15-08h00.md', 'run-0001', 'run-0'])(
    'shows a session: %s',
    async (name) => {
      await session();
      const text = await printed('sessions', 'show', name);
      expect(text).toContain(
        'decision  2026-05-15T08:00:00.000Z  agent build-bot  #compaction\n  compaction keeps calls\n',
      );
      expect(text).toContain('fixtures are golden');
    },
  );

  it('finds entries by their words, kind and tag', async () => {
    await session();
    expect(await printed('sessions', 'search', 'golden', 'fixtures', '--kind', 'fact')).toMatch(
      /^2026-05-15 +fact +agent build-bot +2026-05-15-08h00 +fixtures are golden$/m,
    );
    expect(
      JSON.parse(await printed('--json', 'sessions', 'search', 'compaction', '--tag', 'compaction')),
    ).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ kind: 'decision', project: 'shop' })]),
    });
    expect(await printed('sessions', 'search', 'nothing', 'alike')).toContain('No entry in');
  });

  it('shows the preamble and its size', async () => {
    await session();
    expect(await printed('sessions', 'preamble')).toContain('"fact":"fixtures are golden"');
    const { preamble, bytes } = JSON.parse(await printed('--json', 'sessions', 'preamble')) as Record<string, string>;
    expect(bytes).toBe(Buffer.byteLength(preamble ?? ''));
    expect(await printed('sessions', 'preamble', '--project', 'bank')).toContain('There is no session memory');
  });

  it('says that a folder has no memory, and creates nothing', async () => {
    for (const words of [['list'], ['preamble']])
      expect(await printed('sessions', ...words)).toContain(`There is no session memory in ${folder}.`);
    await expect(printed('sessions', 'show', 'run-0001')).rejects.toMatchObject({ code: 'session.not_found', exit: 4 });
    await expect(printed('sessions', 'search', 'x', '--limit', 'ten')).rejects.toMatchObject({ exit: 2 });
    expect(await readdir(place)).toEqual([]);
  });

  it('escapes what would hide in a terminal', async () => {
    await session();
    expect(await printed('sessions', 'show', 'run-0001')).not.toContain('\u202e');
  });
});
