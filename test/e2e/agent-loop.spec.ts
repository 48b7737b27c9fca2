import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { AgentSession, GateDenied } from '../../src/client/agent.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { build } from '../support/cli.js';

// The package is built, and the example runs in a separate process.
jest.setTimeout(240_000);

let app: TestApplication;
let token: string;

beforeAll(async () => {
  await build();
  app = await startTestApplication();
  ({ token } = await app.agent('Ada'));
});
afterAll(() => app.close());

const Result = z.object({
  recalled: z.int(),
  denied: z.array(z.string()),
  remembered: z.boolean(),
  toolCalls: z.array(z.looseObject({ action: z.string(), ok: z.boolean() })),
});

/** Runs the example as a reader would: alone, importing the published entry point of the package. */
async function runExample() {
  const child = spawn(process.execPath, [join('examples', 'agent-loop', 'agent-loop.mjs'), 'run the nightly export'], {
    cwd: PROJECT_ROOT,
    env: { PATH: programPath(), GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  await app.settled();
  return Result.parse(JSON.parse(out.trim().split('\n').at(-1) ?? ''));
}
const actions = ({ toolCalls }: z.infer<typeof Result>) => toolCalls.map(({ action, ok }) => `${action}: ${ok}`);

describe('the agent loop of the example', () => {
  it('stores a finding, may not act on it alone, and acts once a person has verified it', async () => {
    const first = await runExample();
    expect(first).toMatchObject({ recalled: 0, remembered: true });
    expect(actions(first)).toEqual(['export.py: true', 'python export.py: false', 'python3 export.py: true']);

    const second = await runExample();
    expect(second.recalled).toBeGreaterThan(0);
    expect(second.denied).not.toEqual([]);
    expect(actions(second)).toEqual(actions(first));

    const { items } = await app.admin.lessons();
    const own = items.find(({ proposer }) => proposer === 'the agent itself');
    await app.admin.lesson.verify(own?.id ?? '', { provenance: 'verified', reason: 'looked at export.py' });
    const third = await runExample();
    expect(actions(third)).toEqual(['export.py: true', 'python3 export.py: true']);
    expect((await app.admin.executions.list()).items).toHaveLength(3);
  });
});

describe('the client for agents', () => {
  const session = (more: object = {}) => new AgentSession({ server: app.url, token, sessionId: 's-1', ...more });

  it('runs a guarded tool only if the gate allows every memory behind it; by default all delivered memories', async () => {
    const agent = session();
    const { id } = await agent.remember({ lesson: 'The bittern job runs at noon', tags: ['non-inferable'] });
    let runs = 0;
    const tool = { name: 'Bash', action: 'start bittern' };
    expect(await agent.guard(tool, () => ++runs)).toBe(1);
    await agent.recall('bittern job');
    expect(agent.memories).toContain(id);
    const denied = await agent.guard(tool, () => ++runs).catch((error: unknown) => error);
    expect(denied).toBeInstanceOf(GateDenied);
    expect(denied).toMatchObject({ reasons: expect.arrayContaining([{ memory: id, because: 'unverified' }]) });
    expect(await agent.guard({ ...tool, effect: 'reads' }, async () => 'read')).toBe('read');
    expect(runs).toBe(1);
  });

  it('treats an unreachable server as a denial', async () => {
    const agent = session({ server: 'http://127.0.0.1:9' });
    await expect(agent.guard({ name: 'Bash' }, () => 'ran')).rejects.toThrow('does not respond');
  });

  it('depends only on fetch: its files import only one another at run time', () => {
    const folder = join(PROJECT_ROOT, 'src', 'client');
    for (const file of readdirSync(folder).filter((name) => !name.endsWith('.spec.ts'))) {
      const imports = readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'/gm,
      );
      for (const [, from] of imports) expect([file, from]).toEqual([file, expect.stringMatching(/^\.\/[a-z-]+\.js$/)]);
    }
  });
});
