import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { report } from '../../support/reports.js';
import { type Checks, expectSame, expectText } from '../checks.js';
import { installedProgram } from '../installed-program.js';
import { findProgram, freePort } from '../programs.js';
import { PROXIED_NAME, PROXIES, type ProxyKind, RunningProxy } from '../running-proxy.js';

const MIB = 1024 * 1024;
const Issued = z.object({ token: z.string() });
const SignedIn = z.object({ token: z.string() });

export const isQuick = false;

/** The examples of reverse proxies, in front of the installed server. */
export async function run(checks: Checks): Promise<void> {
  const present = PROXIES.filter((name) => findProgram(name) !== undefined);
  for (const name of PROXIES.filter((proxy) => !present.includes(proxy))) checks.skip(name, 'it is not installed');
  if (present.length === 0) return;
  const program = await installedProgram();
  const port = await freePort();
  const oneTimeToken = `gbo_${randomBytes(24).toString('hex')}`;
  const server = program.start(['serve'], {
    env: {
      GUILDBOOK_PORT: String(port),
      GUILDBOOK_PUBLIC_URL: `https://${PROXIED_NAME}`,
      GUILDBOOK_TRUSTED_PROXIES: '127.0.0.1',
      GUILDBOOK_ADMIN_TOKEN: oneTimeToken,
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-proxy-'));
  try {
    const url = await server.listening();
    const post = async (path: string, body: unknown, token?: string): Promise<unknown> => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { 'content-type': 'application/json', ...authorization };
      return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const { token } = SignedIn.parse(await post('/v1/sign-in', { token: oneTimeToken }));
    for (const kind of present) {
      const agent = Issued.parse(await post('/v1/agents', { name: `${kind}-agent` }, token));
      const person = Issued.parse(await post('/v1/people', { name: kind, email: `${kind}@example.org` }, token));
      await tryProxy(checks, kind, { folder: join(folder, kind), port, token: agent.token, link: person.token });
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Scene {
  readonly folder: string;
  readonly port: number;
  /** The token of an agent. */
  readonly token: string;
  /** The one-time token of a person. */
  readonly link: string;
}

async function tryProxy(checks: Checks, kind: ProxyKind, { folder, port, token, link }: Scene): Promise<void> {
  const proxy = await checks.check(`${kind} accepts the example`, () => RunningProxy.start(kind, folder, port));
  if (proxy === undefined) return;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = (executionId: string, bytes: number) => ({
    headers,
    body: paddedReport(`${kind}-${executionId}`, bytes),
  });
  try {
    await checks.check(`${kind}: the sign-in page comes over https, and only over https`, async () => {
      // The page has its form only for the token of a link.
      const page = await proxy.ask(`/sign-in?token=${link}`);
      expectSame(page.status, 200, 'the status');
      expectText(page.body, '<form method="post" action="/sign-in">', 'the page');
      expectText(String(page.headers['strict-transport-security']), 'max-age=', 'Strict-Transport-Security');
    });
    await checks.check(
      `${kind}: its form signs in, only from a page of the server and with cookies for https`,
      async () => {
        const body = Buffer.from(new URLSearchParams({ token: link, to: '/' }).toString());
        const signIn = (origin: string) =>
          proxy.ask('/sign-in', { headers: { 'content-type': 'application/x-www-form-urlencoded', origin }, body });
        expectSame((await signIn('https://other.example.org')).status, 403, 'the status for a page of another site');
        const { status, headers: answered } = await signIn(`https://${PROXIED_NAME}`);
        expectSame([status, answered.location], [303, '/'], 'the status and the next page');
        expectText(String(answered['set-cookie']), /^__Host-guildbook=.*; Secure/, 'the cookies');
      },
    );
    await checks.check(`${kind}: a report of 3 MiB passes`, async () => {
      expectSame((await proxy.ask('/v1/executions', send('large', 3 * MIB))).status, 202, 'the status');
    });
    await checks.check(`${kind}: a packed report passes as it is`, async () => {
      const { body } = send('packed', 3 * MIB);
      const packed = { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
      expectSame((await proxy.ask('/v1/executions', packed)).status, 202, 'the status');
    });
    await checks.check(`${kind}: a report of 5 MiB is refused with 413`, async () => {
      expectSame((await proxy.ask('/v1/executions', send('too-large', 5 * MIB))).status, 413, 'the status');
    });
    await checks.check(`${kind}: another host than the server's gets no page`, async () => {
      const { status, body } = await proxy.ask('/sign-in', { host: 'rebound.example.org' });
      // nginx passes it on, and the server refuses it. Caddy itself has nothing to say for another host.
      if (status !== 421 && body !== '') throw new Error(`${status}: ${body}`);
    });
  } finally {
    await proxy.stop();
  }
}

/** A report with spaces behind it, which JSON allows. */
function paddedReport(executionId: string, bytes: number): Buffer {
  return Buffer.from(JSON.stringify(report({ executionId })).padEnd(bytes, ' '));
}
