import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { BuiltProgram } from '../support/cli.js';
import { CommandLine } from '../support/command-line.js';

describe('the command line with sign-ins at several servers', () => {
  let program: CommandLine;
  let app: TestApplication;
  let second: TestApplication;
  let stranger: Server;
  let strangerUrl: string;
  /** The credentials that the stranger received. */
  const received: (string | undefined)[] = [];

  beforeAll(async () => {
    program = await CommandLine.create();
    app = await startTestApplication();
    second = await startTestApplication();
    stranger = createServer((request, response) => {
      received.push(request.headers.authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    strangerUrl = urlOf(stranger);
  });
  afterAll(async () => {
    stranger.closeAllConnections();
    stranger.close();
    await second.close();
    await app.close();
    await program.remove();
  });

  const guildbook = (...args: string[]) => program.run(args);
  const succeeds = async (...args: string[]) => {
    const { code, stdout, stderr } = await guildbook(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  const fails = async (...args: string[]) => {
    const { code, stdout, stderr } = await guildbook(...args);
    expect({ args, stdout, failed: code !== 0 }).toEqual({ args, stdout: '', failed: true });
    return stderr;
  };
  const json = async (...args: string[]): Promise<unknown> => JSON.parse(await succeeds('--json', ...args));
  const invitation = async ({ admin }: TestApplication, name: string) =>
    (await admin.people.add({ name, email: `${name.toLowerCase()}@example.org`, reviewer: true, admin: false })).token;
  const name = async (...args: string[]) => (await succeeds(...args, 'whoami')).split(' ')[0];

  it('has none at first, and says how to sign in', async () => {
    expect(await succeeds('servers')).toContain('guildbook login --server <url>');
    expect(await json('servers')).toEqual([]);
    expect(await succeeds('logout', '--all')).toContain('not signed in to any server');
  });

  it('keeps the sign-in at the first server when its user signs in to a second one, which becomes the current one', async () => {
    const [rosa, sam] = [await invitation(app, 'Rosa'), await invitation(second, 'Sam')];
    await succeeds('login', '--server', app.url, '--token', rosa, '--name', 'test');
    await succeeds('login', '--server', second.url, '--token', sam);
    expect(await name()).toBe('Sam');
    expect(await name('--server', app.url)).toBe('Rosa');
    expect(await name('--server', 'test')).toBe('Rosa');
    expect((await program.run(['whoami'], { GUILDBOOK_SERVER: 'test' })).stdout).toContain('Rosa');
    expect(await name()).toBe('Sam');
  });

  it('lists them with the current one and the expiry, and no token', async () => {
    const list = await succeeds('servers');
    expect(list).toMatch(new RegExp(`^\\* +${second.url} +Sam +20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d +20`, 'm'));
    expect(list).toMatch(new RegExp(`^ +${app.url} +test +Rosa +20`, 'm'));
    const items = await json('servers');
    expect(items).toContainEqual({
      server: app.url,
      name: 'test',
      current: false,
      person: 'Rosa',
      expired: false,
      expiresAt: expect.stringMatching(/^20.*Z$/),
      signInExpiresAt: expect.stringMatching(/^20.*Z$/),
    });
    expect(list + JSON.stringify(items)).not.toMatch(/gb[a-z]_/);
    expect(statSync(program.sessionFile).mode & 0o777).toBe(0o600);
  });

  it('makes another one current by its name or address, and knows no others', async () => {
    expect(await succeeds('servers', 'use', 'test')).toBe(`Commands now talk to ${app.url}.\n`);
    expect(await name()).toBe('Rosa');
    expect(await json('servers', 'use', `${second.url}/`)).toEqual({ current: second.url });
    expect(await name()).toBe('Sam');
    expect(await fails('servers', 'use', 'tests')).toContain('Did you mean test?');
    expect(await fails('servers', 'forget', 'https://elsewhere.example.org')).toContain('You are not signed in to');
    expect(await fails('login', '--server', second.url, '--name', 'test')).toContain(`is the name of ${app.url}`);
  });

  it('renews the sign-in of the chosen server without a token, and keeps its name', async () => {
    const before = readFileSync(program.sessionFile, 'utf8');
    expect(await succeeds('login', '--server', 'test')).toContain(`Signed in to ${app.url} as Rosa`);
    expect(readFileSync(program.sessionFile, 'utf8')).not.toBe(before);
    expect(await json('servers')).toContainEqual(expect.objectContaining({ name: 'test', current: true }));
    expect(await succeeds('login', '--server', second.url)).toContain(`Signed in to ${second.url} as Sam`);
  });

  it('sends no token to a server that did not issue it', async () => {
    for (const args of [['whoami'], ['logout'], ['login', '--browser'], ['login'], ['agents']])
      expect(await fails('--server', strangerUrl, ...args)).toMatch(/not signed in|have not signed in/);
    const token = { GUILDBOOK_TOKEN: app.adminToken };
    for (const variables of [{ ...token, GUILDBOOK_SERVER: app.url }, token])
      expect((await program.run(['--server', strangerUrl, 'whoami'], variables)).code).not.toBe(0);
    expect(received).toEqual([]);
    expect((await program.run(['whoami'], token)).stderr).toContain('Set GUILDBOOK_SERVER');
    expect((await program.run(['whoami'], { ...token, GUILDBOOK_SERVER: 'test' })).stdout).toContain('Administrator');
  });

  it('has no current server after signing out of it, so that no command reaches another one by accident', async () => {
    await succeeds('login', '--server', app.url, '--token', await invitation(app, 'Ruth'));
    await succeeds('logout');
    const said = await fails('whoami');
    expect(said).toContain('You are not signed in to http://127.0.0.1:4747');
    expect(said).toContain(`You are signed in to ${second.url}. Choose with: guildbook servers use`);
    expect(await succeeds('servers')).toContain('No server is current');
  });

  it('forgets a sign-in without asking the server', async () => {
    await succeeds('login', '--server', app.url, '--token', await invitation(app, 'Rita'), '--name', 'test');
    const { servers } = JSON.parse(readFileSync(program.sessionFile, 'utf8'));
    const { token } = servers.find(({ server }: { server: string }) => server === app.url);
    expect(await succeeds('servers', 'forget', 'test')).toBe(`Forgot the sign-in at ${app.url}.\n`);
    expect(await fails('servers', 'forget', 'test')).toContain('not signed in to a server "test"');
    expect((await app.client(token).me()).principal.name).toBe('Rita');
  });

  it('signs out of every server, and keeps the sign-in at one that does not respond', async () => {
    await succeeds('login', '--server', app.url, '--token', await invitation(app, 'Remy'));
    await second.close();
    const { code, stdout, stderr } = await guildbook('logout', '--all');
    expect({ code, stdout }).toEqual({ code: 1, stdout: `Signed out of ${app.url} on all devices.\n` });
    expect(stderr).toContain(`Still signed in to ${second.url}`);
    expect(await json('servers')).toMatchObject([{ server: second.url }]);
    second = await startTestApplication();
  });

  it('signs out of one server with an expired token, and stays signed in to the other', async () => {
    await succeeds('login', '--server', second.url, '--token', await invitation(second, 'Sana'));
    await succeeds('login', '--server', app.url, '--token', await invitation(app, 'Rhea'), '--name', 'test');
    app.clock.advance(61 * 60_000);
    expect(await fails('--server', 'test', 'whoami')).toContain('guildbook login');
    expect(await json('--server', 'test', 'logout')).toEqual({ signedOut: true, server: app.url });
    expect(await fails('--server', 'test', 'whoami')).toContain('"test" is not a server address');
    expect(await name('--server', second.url)).toBe('Sana');
  });

  it('loses no sign-in when several commands sign in at once', async () => {
    // Processes, since the file must be safe between them.
    const built = await BuiltProgram.prepare();
    const servers = await Promise.all(Array.from({ length: 6 }, () => signInServer()));
    try {
      const logins = servers.map(({ url }) => built.run(['login', '--server', url, '--token', 'gbo_example']));
      expect((await Promise.all(logins)).map(({ code }) => code)).toEqual(servers.map(() => 0));
      const { stdout } = await built.run(['--json', 'servers']);
      const kept: { server: string }[] = JSON.parse(stdout);
      expect(kept.map(({ server }) => server)).toEqual(expect.arrayContaining(servers.map(({ url }) => url)));
    } finally {
      for (const { server } of servers) server.close();
      await built.remove();
    }
  });
});

/** A server that signs anyone in. */
async function signInServer(): Promise<{ server: Server; url: string }> {
  const principal = { id: '0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a', kind: 'person', name: 'Rosa' };
  const answer = { principal, token: 'gbp_example', expiresAt: '2026-01-05T09:00:00.000Z', scopes: ['read'] };
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: urlOf(server) };
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
