import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOSTILE_KINDS, type HostileKind, hostileReport } from '../../../bench/hostile-reports.js';
import { trafficReport } from '../../../bench/report-traffic.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const PROBE_MS = 10;
/** Enough to fill a minute's bytes of one caller with the section's settings: 3,000 requests of 10 KB. */
const LARGE_BODIES = 10;
const LARGE_BODY = 3_900_000;
const LINES = { 'content-type': 'application/x-ndjson' };
const STREAM = { accept: 'application/json, text/event-stream' };

type Sent = Promise<{ status: number; body: unknown }>;

/** Reports and other bodies that are made to be costly: they may take long, but no other caller may wait for them. */
export const section: Section = {
  name: 'freeze',
  settings: { GUILDBOOK_RATE_LIMIT_PRINCIPAL: '3000' },
  async *attempts(server, { isQuick }) {
    yield* byReports(server, 'keywords', isQuick ? { count: 1, bytes: 1_200_000 } : { count: 6, bytes: 3_700_000 });
    yield* byBodiesWithoutLimits(server);
    if (isQuick) return;
    for (const kind of HOSTILE_KINDS) yield* byReports(server, kind, { count: 1, bytes: 3_700_000 });
    yield* byOtherRoutes(server);
  },
};

interface Waits {
  readonly answers: number;
  readonly longestMs: number;
  readonly lastedMs: number;
}

/** Asks `/healthz` again and again while `attack` runs. */
async function watch(server: AttackedServer, attack: () => Promise<unknown>): Promise<Waits> {
  const times: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const asked = performance.now();
      await server.call('GET', '/healthz');
      times.push(performance.now() - asked);
      await sleep(PROBE_MS);
    }
  })();
  const began = performance.now();
  await attack().finally(() => {
    isOver = true;
    return watching;
  });
  const lastedMs = performance.now() - began;
  return { answers: times.length, longestMs: Math.max(...times), lastedMs };
}

const described = ({ answers, longestMs, lastedMs }: Waits): string =>
  `${answers} answers, the longest after ${longestMs.toFixed(0)} ms of ${lastedMs.toFixed(0)} ms`;

/**
 * No absolute time, because the machine may be busy: work on the event loop holds an answer up for as long as one piece
 * of it takes, and half of that is far more than a busy machine adds, which makes the work itself longer, too.
 */
const isResponsive = ({ answers, longestMs, lastedMs }: Waits, pieces: number): boolean =>
  answers >= 10 && longestMs < lastedMs / pieces / 2;

async function* byReports(
  server: AttackedServer,
  kind: HostileKind,
  { count, bytes }: { count: number; bytes: number },
): AsyncIterable<Attempt> {
  const name = `${count} reports of ${bytes / 1e6} MB at once, ${kind}`;
  const agent = `${count} ${kind}`;
  const token = await server.agent(`freezes by ${agent}`, `owner of ${agent}`);
  const other = await server.agent(`waits for ${agent}`, `other owner of ${agent}`);
  const texts = Array.from({ length: count }, (_, n) => JSON.stringify(hostileReport(kind, `${count}-${n}`, bytes)));
  const served: number[] = [];
  let answers: Awaited<Sent>[] = [];
  const waits = await watch(server, async () => {
    const sent = texts.map((text) =>
      server.call('POST', '/v1/executions', { token, text, headers: { 'content-type': 'application/json' } }),
    );
    // Another agent reports right after them.
    served.push((await server.call('POST', '/v1/executions', { token: other, body: trafficReport(9, 1) })).status);
    served.push(performance.now());
    answers = await Promise.all(sent);
    served.push(performance.now());
  });
  // Cheap kinds end before the event loop could have been held up.
  const isCostly = waits.lastedMs > 1_500;
  yield attempt(`${name}: the server answers`, !isCostly || isResponsive(waits, count), described(waits));
  const statuses = answers.map(({ status }) => status).join(' ');
  yield attempt(
    `${name}: each is kept`,
    answers.every(({ status }) => status === 202),
    statuses,
  );
  const [status, at = 0, end = 0] = served;
  yield attempt(
    `${name}: another agent is served meanwhile`,
    status === 202 && (!isCostly || at < end),
    `${status}, ${(end - at).toFixed(0)} ms before the end`,
  );
}

/** Bodies that are costly before anything is known about them: unknown callers, millions of values, many bytes. */
async function* byBodiesWithoutLimits(server: AttackedServer): AsyncIterable<Attempt> {
  for (const [what, header] of [
    ['4 MB', 'content-length: 4000000'],
    ['unknown size', 'transfer-encoding: chunked'],
  ] as const) {
    const answer = await statusLine(server, header);
    yield attempt(`a body of ${what} without a credential`, answer.includes(' 401 '), answer);
  }
  const token = await server.agent('sends bodies', 'owner of bodies');
  for (const [what, text] of [
    ['empty objects', `{"toolCalls":[${'{},'.repeat(1_000_000)}{}]}`],
    ['names', `{${Array.from({ length: 250_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
  ] as const) {
    const { status, body } = await post(server, '/v1/executions', token, text);
    const isHeld = status === 400 && JSON.stringify(body).includes('request.too_many_values');
    yield attempt(`a body of very many ${what}`, isHeld, `${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
  const body = JSON.stringify({ filler: 'x'.repeat(LARGE_BODY) });
  const statuses: number[] = [];
  let retryAfter: string | null = null;
  for (let n = 0; n < LARGE_BODIES; n += 1) {
    const answer = await server.call('POST', '/v1/executions', {
      token,
      text: body,
      headers: { 'content-type': 'application/json' },
    });
    statuses.push(answer.status);
    retryAfter = answer.headers.get('retry-after');
  }
  const isLimited = statuses.at(-1) === 429 && Number(retryAfter) > 0;
  yield attempt('one body of 4 MB after the other', isLimited, `${statuses.join(' ')}, Retry-After ${retryAfter}`);
}

/** The first line of the answer to a request of which only the head is sent. */
async function statusLine(server: AttackedServer, header: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/executions HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n${header}\r\n\r\n`,
  );
  const answer = await Promise.race([once(socket, 'data'), sleep(10_000, ['no answer'])]);
  socket.destroy();
  return String(answer[0]).split('\r\n')[0] ?? '';
}

const post = (
  server: AttackedServer,
  path: string,
  token: string,
  text: string,
  more: Record<string, string> = {},
): Sent => server.call('POST', path, { token, text, headers: { 'content-type': 'application/json', ...more } });

/** Every other way in which an agent can have a lot of text redacted. */
async function* byOtherRoutes(server: AttackedServer): AsyncIterable<Attempt> {
  const { toolCalls } = hostileReport('keywords', 'texts', 2_400_000);
  const texts = toolCalls.map(({ errorMessage = '' }) => errorMessage);
  const report = (n: number) => hostileReport('keywords', `line-${n}-${'x'.repeat(n % 50)}`, 9_000);
  const hook = {
    session_id: 's',
    hook_event_name: 'PostToolUseFailure',
    tool_name: 'Bash',
    tool_use_id: 'u',
    cwd: '/w',
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const mcp = { name: 'report_execution', arguments: hostileReport('keywords', 'mcp', 2_400_000) };
  const bodies: [string, string, string, Record<string, string>?][] = [
    ['traces', '/v1/traces', JSON.stringify(exportOf(texts))],
    ['a hook event', '/v1/hooks/claude-code', JSON.stringify({ ...hook, error: texts.join(' ') })],
    [
      'a command of a hook event',
      '/v1/hooks/claude-code',
      JSON.stringify({ ...hook, tool_use_id: 'v', tool_input: { command: texts.join(' ') } }),
    ],
    [
      'a batch',
      '/v1/executions/batch',
      Array.from({ length: 250 }, (_, n) => JSON.stringify(report(n))).join('\n'),
      LINES,
    ],
    ['a tool of MCP', '/mcp', JSON.stringify({ ...message, params: mcp }), STREAM],
    ['a long recall', '/v1/recall', JSON.stringify({ query: texts.join(' ').slice(0, 20_000) })],
  ];
  for (const [what, path, text, headers] of bodies) {
    const token = await server.agent(`freezes by ${what}`, `owner of ${what}`);
    let status = 0;
    const waits = await watch(server, async () => {
      status = (await post(server, path, token, text, headers)).status;
    });
    const isHeld = status < 500 && (waits.lastedMs <= 1_500 || isResponsive(waits, 1));
    yield attempt(`${what} of costly text: the server answers`, isHeld, `${status}, ${described(waits)}`);
  }
}

function exportOf(texts: readonly string[]): unknown {
  const spans = texts.map((text, n) => ({
    traceId: 'a'.repeat(32),
    spanId: n.toString(16).padStart(16, '1'),
    name: 'execute_tool shell',
    startTimeUnixNano: '1767225600000000000',
    endTimeUnixNano: '1767225601000000000',
    status: { code: 2, message: text },
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
      { key: 'gen_ai.tool.name', value: { stringValue: 'shell' } },
      { key: 'gen_ai.tool.call.arguments', value: { stringValue: JSON.stringify({ command: text.slice(0, 900) }) } },
    ],
  }));
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] };
}
