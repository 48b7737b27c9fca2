/**
 * npm run bench:hook-lines [-- --lines 20,100,300,800 --events 10 --client plugins/guildbook-hook]
 *
 * The real hook client over lines with a long round trip, without and with TLS: how many events arrive, how many answers
 * the agent gets, and how long each event keeps the agent. The last line is JSON.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { HOOK_CLIENT, runHook, writeHookSettings } from '../test/support/hook-client.js';
import { SlowLine } from '../test/support/slow-line.js';
import { percentile } from './percentile.js';

const HELP = `npm run bench:hook-lines -- [options]
  --lines N,N,…    added round trips in milliseconds (20,100,300,800)
  --events N       events of each line, one after the other (10)
  --answer-ms N    how long the server takes to answer (100; its deadline is 300)
  --client <file>  the hook client (plugins/guildbook-hook)

Smallest run: --lines 20 --events 2`;

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '20,100,300,800' },
    events: { type: 'string', default: '10' },
    'answer-ms': { type: 'string', default: '100' },
    client: { type: 'string', default: HOOK_CLIENT },
    help: { type: 'boolean', default: false },
  },
});
const lines = values.lines.split(',').map(Number);
const [events = 0, answerMs = 0] = [values.events, values['answer-ms']].map(Number);
if (values.help || lines.some(Number.isNaN) || !(events > 0) || !(answerMs >= 0)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const ANSWER = '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"use python3"}}\n';
/** As long as the client tries in the background. */
const BACKGROUND_MS = 11_000;

interface LineFigures {
  readonly scheme: 'http' | 'https';
  readonly roundTripMs: number;
  readonly events: number;
  readonly delivered: number;
  readonly twice: number;
  readonly answered: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

const folder = mkdtempSync(join(tmpdir(), 'guildbook-lines-'));
const key = join(folder, 'key.pem');
const certificate = join(folder, 'certificate.pem');
const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
execFileSync('openssl', ['req', '-x509', ...ec, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });

/** Bodies that arrived on the line that is measured. */
let arrived: string[] = [];

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    arrived.push(Buffer.concat(chunks).toString('utf8'));
    setTimeout(() => response.end(ANSWER), answerMs);
  });
}

const servers = {
  http: createServer(take),
  https: createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, take),
};

async function measure(scheme: LineFigures['scheme'], roundTripMs: number): Promise<LineFigures> {
  arrived = [];
  // A server on TCP has an address of this form.
  const line = new SlowLine((servers[scheme].address() as AddressInfo).port, roundTripMs);
  const home = join(folder, `${scheme}-${roundTripMs}`);
  const settings = { server: `${scheme}://127.0.0.1:${await line.start()}`, token: 'gbt_bench' };
  await writeHookSettings(home, 'codex', settings);
  const times: number[] = [];
  let answered = 0;
  for (let at = 0; at < events; at += 1) {
    const began = performance.now();
    const input = JSON.stringify({ session_id: 's', tool_use_id: `call ${at}`, tool_response: 'x'.repeat(2_000) });
    const environment = { CURL_CA_BUNDLE: certificate };
    const { stdout } = await runHook(['sh'], ['codex', 'PostToolUse'], {
      home,
      input,
      environment,
      client: values.client,
    });
    times.push(performance.now() - began);
    if (stdout === ANSWER) answered += 1;
  }
  for (let waited = 0; new Set(arrived).size < events && waited < BACKGROUND_MS; waited += 100) await sleep(100);
  await line.close();
  const delivered = new Set(arrived).size;
  return {
    scheme,
    roundTripMs,
    events,
    delivered,
    twice: arrived.length - delivered,
    answered,
    medianMs: Math.round(percentile(times, 0.5)),
    maxMs: Math.round(Math.max(...times)),
  };
}

for (const server of Object.values(servers))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const measured: LineFigures[] = [];
try {
  for (const scheme of ['http', 'https'] as const)
    for (const roundTripMs of lines) {
      const one = await measure(scheme, roundTripMs);
      measured.push(one);
      console.log(
        `${scheme.padEnd(5)} ${`${roundTripMs} ms`.padStart(7)}: ${one.delivered} of ${events} events, ${one.answered} answers, ` +
          `${one.twice} twice; the agent waits ${one.medianMs} ms, at most ${one.maxMs} ms`,
      );
    }
  console.log(JSON.stringify({ answerMs, lines: measured }));
} finally {
  for (const server of Object.values(servers)) server.closeAllConnections();
  for (const server of Object.values(servers)) server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
