import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_SIGN_INS, type SignIn, SignInFile, withSignIn } from './sign-in-file.js';

const at = (server: string): SignIn => ({
  server,
  person: 'Rosa',
  token: 'gbp_example',
  expiresAt: '2026-03-01T12:00:00Z',
});

describe('the file of all sign-ins', () => {
  let home: string;
  let folder: string;
  let file: SignInFile;
  let warnings: string[];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'guildbook-sign-ins-'));
    folder = join(home, 'guildbook');
    warnings = [];
    file = new SignInFile(folder, (text) => warnings.push(text));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const files = async () => (await readdir(folder)).filter((name) => !name.endsWith('.lock'));

  it('is not created by reading it', async () => {
    expect(await file.read()).toEqual(NO_SIGN_INS);
    expect(await readdir(home)).toEqual([]);
  });

  it('can be read only by its user, also after a killed command left a file behind', async () => {
    await mkdir(folder);
    await writeFile(`${file.path}.part`, 'half', { mode: 0o644 });
    await file.change((signIns) => withSignIn(signIns, at('https://test.example.org')));
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect(await files()).toEqual(['sessions.json']);
    expect(await file.read()).toMatchObject({ current: 'https://test.example.org' });
  });

  it('loses nothing when several change it at once', async () => {
    const servers = Array.from({ length: 12 }, (_, n) => `http://127.0.0.1:${4_000 + n}`);
    await Promise.all(servers.map((server) => new SignInFile(folder).change((all) => withSignIn(all, at(server)))));
    expect((await file.read()).servers.map(({ server }) => server)).toEqual(servers);
  });

  it('stays as it is after a change that fails', async () => {
    await file.change((signIns) => withSignIn(signIns, at('https://test.example.org')));
    const before = await readFile(file.path, 'utf8');
    const failing = file.change(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await readFile(file.path, 'utf8')).toBe(before);
  });

  it.each(['{"current": "http://127.0.', '[]', '{"current": null, "servers": [{"server": "x"}]}'])(
    'is set aside, with all that it holds, if it cannot be understood: %s',
    async (text) => {
      await mkdir(folder);
      await writeFile(file.path, text);
      expect(await file.read()).toEqual(NO_SIGN_INS);
      const [aside = '', ...others] = await files();
      expect({ aside, others }).toEqual({ aside: expect.stringMatching(/^sessions\.json\.unreadable-/), others: [] });
      expect(await readFile(join(folder, aside), 'utf8')).toBe(text);
      expect(warnings).toEqual([expect.stringContaining(join(folder, aside))]);
    },
  );

  it('takes over the only sign-in of the earlier file, once', async () => {
    await mkdir(folder);
    const earlier = {
      server: 'https://test.example.org',
      token: 'gbp_a',
      expiresAt: 'x',
      signInToken: 'b',
      name: 'Rosa',
    };
    await writeFile(join(folder, 'session.json'), JSON.stringify(earlier));
    const { name: person, ...signIn } = earlier;
    expect(await file.read()).toEqual({ current: earlier.server, servers: [{ ...signIn, person }] });
    await file.change((signIns) => withSignIn(signIns, at('https://guildbook.example.org')));
    expect(await files()).toEqual(['sessions.json']);
    expect((await file.read()).servers).toHaveLength(2);
  });

  it('sets an earlier file aside that cannot be understood', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'session.json'), '{"server": ');
    await file.change((signIns) => withSignIn(signIns, at('https://test.example.org')));
    expect(await files()).toEqual([expect.stringMatching(/^session\.json\.unreadable-/), 'sessions.json']);
    expect(warnings).toEqual([expect.stringContaining('session.json.unreadable-')]);
  });
});
