import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Session } from '../../../test/support/foreign-sessions.js';
import { openHandsV1, run, sweAgent } from '../../../test/support/trajectories.js';
import { transcriptFiles } from '../sources/transcript-files.js';
import { TranscriptReader } from './transcripts.js';

const SESSION: Session = {
  id: 'c-1',
  task: 'Close the books',
  steps: [
    { tool: 'Bash', input: { command: 'python close.py' }, error: 'SyntaxError: invalid syntax' },
    { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'done' },
  ],
  answer: 'Closed',
  end: 'normal',
};

describe('runs of agents in folders', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-events-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const read = async (name: string) => {
    const reader = new TranscriptReader({ agentPer: 'project' });
    const { sources: files } = await transcriptFiles([join(folder, name)], true);
    return Promise.all(files.map((file) => reader.read(file)));
  };

  it('are one conversation if each event has a file of its own, with the state beside them', async () => {
    const [state = '', ...events] = openHandsV1(SESSION);
    await write('talks/c-1/base_state.json', JSON.stringify(JSON.parse(state), null, 2));
    for (const [n, event] of events.entries())
      await write(
        `talks/c-1/events/event-${String(n).padStart(5, '0')}-0000000${n}.json`,
        JSON.stringify(JSON.parse(event), null, 2),
      );
    await write('talks/c-1/events/event-00099-00000099.json', '{"cut');
    await write('talks/c-1/TASKS.json', '[]');
    const derived = await read('talks');
    expect(derived.map(({ format, skipped }) => [format, skipped])).toEqual([
      ['openhands-v1', [{ reason: 'record that is no JSON', count: 1 }]],
      [undefined, [{ reason: 'unknown format', count: 1 }]],
    ]);
    expect(derived.flatMap(({ reports }) => reports)).toMatchObject([
      { report: { sessionId: 'c-1', toolCalls: [{ ok: false }, { action: 'python3 close.py', ok: true }] } },
    ]);
  });

  it('are one agent for the folders of a batch, each named after its instance', async () => {
    for (const id of ['acme__shop-7', 'acme__shop-8'])
      await write(`batch/${id}/${id}.traj`, sweAgent({ ...SESSION, id }).join('\n'));
    await write(
      'batch/report.json',
      JSON.stringify({ resolved_ids: ['acme__shop-8'], unresolved_ids: ['acme__shop-7'] }),
    );
    const reports = (await read('batch')).flatMap((file) => file.reports);
    expect(new Set(reports.map(({ agent }) => agent)).size).toBe(1);
    expect(reports.map(({ report }) => report.verification.outcome)).toEqual(['failed', 'succeeded']);
  });

  it('name their own agents in the documented form, unless the caller names one', async () => {
    const [row = ''] = run(SESSION);
    const other = JSON.stringify({ ...JSON.parse(row), agent_id: 'ben' });
    await write('own/runs.jsonl', `${row}\n${other}`);
    const [derived] = await read('own');
    expect(derived?.reports.map(({ agent }) => agent)).toEqual(['ada', 'ben']);
    const named = new TranscriptReader({ agentPer: 'file', agent: 'Cleo' });
    const all = await named.read(join(folder, 'own/runs.jsonl'));
    expect(all.reports.map(({ agent }) => agent)).toEqual(['Cleo', 'Cleo']);
  });
});
