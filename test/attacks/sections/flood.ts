import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { largestPage, listRoutes } from '../../../bench/list-load.js';
import { percentile } from '../../../bench/percentile.js';
import { trafficReport } from '../../../bench/report-traffic.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';
import { textAt } from '../built-server.js';

const PROGRAM = fileURLToPath(new URL('../flood.mjs', import.meta.url));
const PROBE_MS = 10;
/** A recall waits for the requests before it. One that waits longer, and twenty times as long as without a flood, was held up. */
const HELD_UP_MS = 2_000;
const HELD_UP_FACTOR = 20;

interface Flood {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** Who asks; a stranger without it. */
  readonly by?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
/** Where the list of routes has no path of its own: no route at all, a document that is off, a guessed credential. */
const OTHERS: readonly Flood[] = [
  { method: 'GET', path: '/no/such/route' },
  { method: 'GET', path: '/v1/docs-yaml' },
  { method: 'GET', path: '/v1/me' },
  { method: 'GET', path: '/v1/me', headers: { authorization: `Bearer gbp_${'x'.repeat(43)}` }, by: 'a guessed token' },
];

/** One request to each route that docs/routes.md lists as public. */
function anonymousRequests(): Flood[] {
  const rows = readFileSync('docs/routes.md', 'utf8').matchAll(/^\| `(\w+) (\S+)` \| public \|/gm);
  return [...rows].map(([, method = '', route = '']): Flood => {
    const file = route.startsWith('/v1/docs')
      ? 'swagger-ui-bundle.js'
      : route.startsWith('/.')
        ? 'a.md'
        : 'console.css';
    const path = route.replace(':name', 'no-such-skill').replace(':file', file);
    if (method !== 'POST') return { method, path };
    return { method, path, headers: JSON_TYPE, text: JSON.stringify({ token: `gbo_${'x'.repeat(43)}` }) };
  });
}

export const section: Section = {
  name: 'flood',
  // So that the flood can come from many addresses.
  settings: { GUILDBOOK_TRUSTED_PROXIES: '127.0.0.1' },
  async *attempts(server, { isQuick }) {
    const token = await server.agent('honest');
    const milliseconds = isQuick ? 1_000 : 3_000;
    const routes = anonymousRequests();
    if (routes.length === 0) throw new Error('docs/routes.md lists no public route');
    await recallTimes(server, token, () => sleep(500));
    const idle = await recallTimes(server, token, () => sleep(milliseconds));
    const ownPage = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    const chosen = isQuick ? routes.filter(({ path }) => /openapi|index\.json|\/sign-in$/.test(path)) : routes;
    for (const request of [...OTHERS, ...chosen]) {
      const flood = request.method === 'POST' ? { ...request, headers: { ...request.headers, ...ownPage } } : request;
      if (!isQuick)
        yield await flooded(server, token, idle, { ...flood, connections: 32, isDistributed: false, milliseconds });
      yield await flooded(server, token, idle, { ...flood, connections: 64, isDistributed: true, milliseconds });
    }
    yield* onLists(server, token, idle, isQuick);
  },
};

/** A person without a role asks for everything there is: each list, export and page of the console. */
async function* onLists(
  server: AttackedServer,
  token: string,
  idle: readonly number[],
  isQuick: boolean,
): AsyncIterable<Attempt> {
  const { adminToken } = server;
  const person = { name: 'Mallory', email: 'mallory@example.test', reviewer: false };
  const invited = await server.call('POST', '/v1/people', { token: adminToken, body: person });
  const signedIn = await server.call('POST', '/v1/sign-in', { body: { token: textAt(invited.body, 'token') } });
  const reader = textAt(signedIn.body, 'token');
  const writer = await server.agent('writer');
  for (let n = 0; n < (isQuick ? 50 : 300); n += 1)
    await server.call('POST', '/v1/executions', { token: writer, body: trafficReport(5, n) });
  const lists = listRoutes();
  if (lists.length === 0) throw new Error('docs/routes.md has no list');
  const chosen = isQuick ? lists.filter((path) => /export|\/v1\/(?:executions|proposals)$/.test(path)) : lists;
  for (const list of chosen) {
    const path = await largestPage(server.url, list, reader);
    const headers = { authorization: `Bearer ${reader}` };
    const load = { connections: 64, isDistributed: false, milliseconds: isQuick ? 1_000 : 2_000 };
    // The answer to HEAD ends at once, also where that to GET is a long stream.
    for (const method of /export|executions$/.test(list) ? ['GET', 'HEAD'] : ['GET'])
      yield await flooded(server, token, idle, { method, path, headers, by: 'a person without a role', ...load });
  }
}

async function flooded(
  server: AttackedServer,
  token: string,
  idle: readonly number[],
  flood: Flood & { connections: number; isDistributed: boolean; milliseconds: number },
): Promise<Attempt> {
  let answers = '';
  const times = await recallTimes(server, token, async () => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...flood, url: server.url })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await Promise.all([textOf(child.stdout), once(child, 'exit'), end(child.kill.bind(child))]);
    answers = printed.trim();
  });
  async function end(kill: (signal: 'SIGTERM') => boolean): Promise<void> {
    await sleep(flood.milliseconds);
    kill('SIGTERM');
  }
  const { method, path, by = 'a stranger', connections, isDistributed } = flood;
  const p99 = percentile(times, 0.99);
  const isHeld = p99 <= Math.max(HELD_UP_MS, HELD_UP_FACTOR * percentile(idle, 0.99)) && answers !== '{}';
  const from = isDistributed ? 'many addresses' : 'one address';
  return attempt(
    `${connections} connections of ${by} from ${from} on ${method} ${path} hold up another agent`,
    isHeld,
    `recall p99 ${p99.toFixed(0)} ms, idle ${percentile(idle, 0.99).toFixed(0)} ms; answers ${answers}`,
  );
}

/** Recalls of the agent while `work` runs, with those that would have been asked while one waited. */
async function recallTimes(server: AttackedServer, token: string, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  let isEnded = false;
  const recall = async (): Promise<void> => {
    while (!isEnded) {
      const began = performance.now();
      const { status } = await server.call('POST', '/v1/recall', { token, body: { query: 'rename a long file' } });
      if (status !== 200) throw new Error(`the recall was refused: ${status}`);
      for (let left = performance.now() - began; left > 0; left -= PROBE_MS) times.push(left);
      await sleep(PROBE_MS);
    }
  };
  await Promise.all([work().finally(() => (isEnded = true)), recall()]);
  return times;
}
