/**
 * npm run bench:console [-- --database <url> --proposals 10000 --skills 10000 --requests 100]
 *
 * How long the built server takes for each page of the console with long queues and many skills, on PostgreSQL: p50 and
 * p99 of requests one after another over one connection, beside /healthz in the same rounds, and the bytes of each page
 * with style and script. The last line is JSON.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT, SETTINGS } from '../src/platform/config/config.js';
import { benchServerUrl, programPath } from '../src/platform/config/environment.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { quiet, seedConsole } from './console-data.js';

const HELP = `npm run bench:console -- [options]
  --database <url>   a PostgreSQL server; a database is made on it and dropped (default: TEST_DATABASE_URL)
  --proposals <n>    pending proposals (default 10000)
  --skills <n>       live skills, each with a commit (default 10000)
  --requests <n>     requests of each page (default 100)
  --no-quiet         does not wait until the server has done its first jobs, which takes one to four minutes

Smallest run: --proposals 30 --skills 10 --requests 5 --no-quiet`;
/** The check for leftovers of a crash among 10,000 skills is slow on a busy machine. */
const START_MS = 600_000;
const ADMIN_TOKEN = `gbo_${randomBytes(32).toString('base64url')}`;
const WARM_UP = 5;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    database: { type: 'string' },
    proposals: { type: 'string', default: '10000' },
    skills: { type: 'string', default: '10000' },
    requests: { type: 'string', default: '100' },
    quiet: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
});
const server = values.database ?? benchServerUrl();
const [proposals, skills, requests] = [values.proposals, values.skills, values.requests].map(Number);
if (values.help || server === undefined || !(proposals && skills && requests)) {
  console[values.help ? 'log' : 'error'](HELP);
  process.exit(values.help ? 0 : 1);
}

/** Starts the built server on an existing database and folder. */
async function start(
  databaseUrl: string,
  folder: string,
): Promise<{ child: ChildProcess; url: string; token: string }> {
  const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'dist', 'main.js')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: programPath(),
      ...unset,
      DATABASE_URL: databaseUrl,
      GUILDBOOK_PORT: '0',
      GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
      GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
      GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
      GUILDBOOK_ADMIN_TOKEN: ADMIN_TOKEN,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const deadline = performance.now() + START_MS;
  for (;;) {
    const url = said.match(/listening on (http:\/\/\S+)/)?.[1];
    if (url) return { child, url, token: ADMIN_TOKEN };
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`the server does not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Signs in as administrator and reviewer, and returns the headers of the browser session. */
async function signIn(url: string, token: string): Promise<Record<string, string>> {
  const own = { 'sec-fetch-site': 'same-origin' };
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${url}/sign-in`, { method: 'POST', body, headers: own, redirect: 'manual' });
  await answer.text();
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { ...own, cookie: cookie.join('; ') };
}

interface Fetched {
  readonly text: string;
  readonly ms: number;
}

async function timed(url: string, headers: Record<string, string>): Promise<Fetched> {
  const began = performance.now();
  const answer = await fetch(url, { headers, redirect: 'manual' });
  const text = await answer.text();
  const ms = performance.now() - began;
  if (answer.status >= 400) throw new Error(`${url}: ${answer.status}\n${text.slice(0, 500)}`);
  return { text, ms };
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(1));
}

const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-console-'));
const scratch = await createDatabaseOn(server);
let child: ChildProcess | undefined;
try {
  console.log(`making ${skills} skills with commits, and ${proposals} pending proposals`);
  await seedConsole(scratch.url, join(folder, 'skills'), skills, proposals);
  const running = await start(scratch.url, folder);
  child = running.child;
  const { url } = running;
  if (values.quiet) {
    console.log('waiting until the server has looked through what it has');
    await quiet(scratch.url);
  }
  const headers = await signIn(url, running.token);
  const first = async (path: string, pattern: RegExp): Promise<string> => {
    const found = (await timed(url + path, headers)).text.match(pattern)?.[0];
    if (found === undefined) throw new Error(`${path} leads nowhere`);
    return found;
  };
  const review = await first('/', /\/review\/[0-9a-f]{8}-[0-9a-f-]{27}/);
  const skill = await first('/skills', /\/skills\/[a-z0-9-]+/);
  const cycle = await fetch(`${url}/cycles`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ dryRun: 'true' }),
  });
  await cycle.text();
  const pages = [
    ...['/', '/?q=template', '/?kind=conflict', review, `${review}/edit`, `/review/next?after=${review.slice(8)}`],
    ...['/skills', '/skills?q=publish', skill, '/fleet', '/cycles', cycle.headers.get('location') ?? '/cycles'],
    ...['/journal', '/settings', '/settings/server', '/start'],
  ];
  let assets = 0;
  const { text: today } = await timed(`${url}/`, headers);
  for (const [, path] of today.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g))
    assets += Buffer.byteLength((await timed(url + path, {})).text);

  const times = new Map<string, number[]>([['/healthz', []], ...pages.map((page) => [page, []] as [string, number[]])]);
  const bytes = new Map<string, number>();
  for (let round = -WARM_UP; round < requests; round += 1)
    for (const [page, taken] of times) {
      const { text, ms } = await timed(url + page, page === '/healthz' ? {} : headers);
      if (round >= 0) taken.push(ms);
      bytes.set(page, Buffer.byteLength(text) + (page === '/healthz' ? 0 : assets));
    }
  const named = (page: string) =>
    page.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replace(/^\/skills\/[^?]+/, '/skills/:name');
  const rows = [...times].map(([page, taken]) => ({
    page: named(page),
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    bytes: bytes.get(page) ?? 0,
  }));
  for (const { page, p50, p99, bytes: size } of rows)
    console.log(
      `${page.padEnd(30)} p50 ${String(p50).padStart(7)} ms  p99 ${String(p99).padStart(7)} ms  ${size} bytes`,
    );
  const ofPages = rows.filter(({ page }) => page !== '/healthz');
  console.log(
    JSON.stringify({
      proposals,
      skills,
      requests,
      bareP50: rows[0]?.p50,
      bareP99: rows[0]?.p99,
      worstP99: Math.max(...ofPages.map(({ p99 }) => p99)),
      mostBytes: Math.max(...ofPages.map(({ bytes: size }) => size)),
      pages: Object.fromEntries(ofPages.map(({ page, p50, p99 }) => [page, [p50, p99]])),
    }),
  );
} finally {
  if (child && child.exitCode === null) {
    child.kill('SIGTERM');
    await new Promise((resolve) => child?.once('exit', resolve));
  }
  await scratch.drop();
  rmSync(folder, { recursive: true, force: true });
}
