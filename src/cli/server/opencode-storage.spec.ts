import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transcriptFiles } from '../sources/transcript-files.js';
import { TranscriptReader } from './transcripts.js';

const SESSION = 'ses_1';
const AT = 1_775_000_000_000;

describe('the sessions that OpenCode keeps in files', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-opencode-'));
    await put(`session/global/${SESSION}.json`, { id: SESSION, directory: '/srv/shop', version: '1.1.0' });
    const message = (id: string, role: string, n: number) => ({
      id,
      role,
      sessionID: SESSION,
      modelID: 'a-model',
      path: { cwd: '/srv/shop' },
      time: { created: AT + n, completed: AT + n },
    });
    await put(`message/${SESSION}/msg_1.json`, message('msg_1', 'user', 0));
    await put(`message/${SESSION}/msg_2.json`, message('msg_2', 'assistant', 1_000));
    await put(`message/${SESSION}/msg_3.json`, message('msg_3', 'assistant', 2_000));
    await put('part/msg_1/prt_1.json', { type: 'text', text: 'Close the books' });
    for (const [n, command, exit] of [
      [1, 'python close.py', 1],
      [2, 'python3 close.py', 0],
    ] as const)
      await put(`part/msg_2/prt_${n}.json`, {
        type: 'tool',
        tool: 'bash',
        callID: `c-${n}`,
        state: { status: 'completed', input: { command }, output: '', metadata: { exit, output: 'Error: no' } },
      });
    await put('part/msg_3/prt_1.json', { type: 'text', text: 'Closed.' });
    await put(`session_diff/${SESSION}.json`, []);
    await put('project/global.json', { id: 'global', worktree: '/srv/shop' });
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function put(name: string, content: unknown): Promise<void> {
    const file = join(folder, 'storage', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const read = async () => {
    const reader = new TranscriptReader({ agentPer: 'project' });
    const derived = [];
    for (const file of (await transcriptFiles([folder], true)).sources) derived.push(await reader.read(file));
    return derived;
  };

  it('are one execution each, with its calls in order', async () => {
    const derived = await read();
    expect(derived).toMatchObject([
      { format: 'opencode', cwd: '/srv/shop', skipped: [], reports: [{ agent: expect.stringMatching(/^shop-/) }] },
    ]);
    expect(derived[0]?.reports[0]?.report).toMatchObject({
      executionId: 'opencode:ses_1:msg_3',
      status: 'completed',
      model: 'a-model',
      turnCount: 2,
      toolCalls: [
        { action: 'python close.py', ok: false, reply: { position: 1, calls: 2 } },
        { action: 'python3 close.py', ok: true },
      ],
    });
  });

  it('have damaged files counted, and lose no other', async () => {
    await put('part/msg_2/prt_1.json', '{"type":"tool"');
    await put(`message/${SESSION}/msg_4.json`, 'no JSON');
    const [session] = await read();
    expect(session?.skipped).toEqual([
      { reason: 'part of a message that is no readable record', count: 1 },
      { reason: 'message that is no readable record', count: 1 },
      { reason: 'record that is no JSON', count: 2 },
    ]);
    expect(session?.reports[0]?.report.toolCalls).toMatchObject([
      { action: 'python3 close.py', ok: true, afterHole: true },
    ]);
  });

  it('are named as unread where a database holds them', async () => {
    await writeFile(join(folder, 'opencode.db'), 'SQLite format 3');
    expect((await transcriptFiles([folder], true)).unread).toEqual([
      { file: join(folder, 'opencode.db'), reason: expect.stringContaining('opencode export <id>') },
    ]);
  });
});
