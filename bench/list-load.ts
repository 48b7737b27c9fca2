import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Guildbook } from '../src/client/guildbook.js';
import { trafficReport } from './report-traffic.js';

const FLOOD = fileURLToPath(new URL('../test/attacks/flood.mjs', import.meta.url));
/** The largest page first; a list that takes none is asked without. */
const LIMITS = ['?limit=5000', '?limit=500', '?limit=200', '?limit=100', ''];
const AT_ONCE = 100;

/** `GET /path` of each list, export and page of the console that a person without a role may read. */
export function listRoutes(): string[] {
  const rows = readFileSync('docs/routes.md', 'utf8').matchAll(/^\| `GET (\/[^`:]*)` \| ([^|]+) \|/gm);
  return [...rows].flatMap(([, path = '', rule = '']) => (/\bread: [^;|]*person/.test(rule) ? [path] : []));
}

/** The path with the largest page that the route takes. */
export async function largestPage(url: string, path: string, token: string): Promise<string> {
  for (const limit of LIMITS) {
    const answer = await fetch(`${url}${path}${limit}`, { headers: { authorization: `Bearer ${token}` } });
    await answer.text();
    if (answer.status !== 400) return `${path}${limit}`;
  }
  return path;
}

/** Asks for a path on many connections at once, in a separate process. Returns the answers by status. */
export async function flood(
  url: string,
  path: string,
  { token, connections, milliseconds }: { token: string; connections: number; milliseconds: number },
): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${token}` };
  const asked = JSON.stringify({ url, method: 'GET', path, headers, connections, isDistributed: false });
  const child = spawn(process.execPath, [FLOOD, asked], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = Promise.all([textOf(child.stdout), once(child, 'exit')]);
  await sleep(milliseconds);
  child.kill('SIGTERM');
  return JSON.parse((await ended)[0]);
}

/** Reports enough executions that lists and the journal have full pages. */
export async function fillLists(client: Guildbook, reports: number): Promise<void> {
  for (let from = 0; from < reports; from += AT_ONCE)
    await client.executions.reportAll(Array.from({ length: AT_ONCE }, (_, n) => trafficReport(3, from + n)));
}
