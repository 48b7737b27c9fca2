import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canIsolate } from './isolation.js';
import type { Step } from './page.js';
import { PageSession } from './page-session.js';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const block = (text: string, more: Partial<Step> = {}): Step => ({
  line: 1,
  text,
  background: false,
  needs: [],
  ...more,
});

describe('a session of a page', () => {
  let folder: string;
  let cwd: string;
  let session: PageSession;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guildbook-page-'));
    cwd = join(folder, 'work');
    mkdirSync(cwd);
    const databaseUrl = 'postgresql://page@127.0.0.1/page';
    session = await PageSession.open({ folder, cwd, env: { HOME: folder, PATH }, databaseUrl });
  });

  afterEach(async () => {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const written = (file: string): string => readFileSync(join(cwd, file), 'utf8').trim();

  it('keeps variables and the current folder from block to block', async () => {
    await session.run(block('mkdir agent && cd agent\nname=build-bot\n'));
    await session.run(block('echo "$name" > name\n'));

    expect(written('agent/name')).toBe('build-bot');
  });

  it('fails with the output of a block when one of its commands fails, and runs nothing behind it', async () => {
    await expect(session.run(block('echo before\nls absent\ntouch after\n'))).rejects.toThrow(/before\n.*absent/);
    expect(existsSync(join(cwd, 'after'))).toBe(false);
  });

  it('fails for a variable that no block has set', async () => {
    await expect(session.run(block('echo "$GUILDBOOK_TOKEN"\n'))).rejects.toThrow(/GUILDBOOK_TOKEN: unbound variable/);
  });

  it('goes on beside a server, which a later block can stop', async () => {
    await session.run(
      block("sh -c 'echo Guildbook is listening; exec sleep 600'   # the server\n", { background: true }),
    );
    await session.run(block('kill %1\nwait $! || echo "$?" > status\n'));

    expect(written('status')).toMatch(/^(143|130)$/);
  });

  it('gives the address of the database only to the blocks that need it', async () => {
    await session.run(block('echo "$DATABASE_URL" > url\n', { needs: ['postgresql'] }));
    await session.run(block('echo "$(printenv DATABASE_URL || echo unset)" > after\n'));

    expect(written('url')).toBe('postgresql://page@127.0.0.1/page');
    expect(written('after')).toBe('unset');
  });

  it('leaves nothing in the folders of the system where it can be isolated', async () => {
    const file = '/etc/guildbook-page-session.spec';
    await session.run(block(canIsolate(tmpdir()) ? `touch ${file}\nls ${file}\n` : 'true\n'));

    expect(existsSync(file)).toBe(false);
  });
});
