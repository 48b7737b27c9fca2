import { request } from 'node:http';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const SKILL = { name: 'requested', description: 'Use when a request is forged.', body: 'Write the long name.' };

/** Sends exactly these headers, which `fetch` would replace. */
function raw(server: AttackedServer, method: string, path: string, headers: Record<string, string>, text = '') {
  const { hostname, port } = new URL(server.url);
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, setHost: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: body }));
    });
    sent.on('error', reject).end(text);
  });
}

export const section: Section = {
  name: 'requests',
  async *attempts(server, { isQuick }) {
    yield* foreignNames(server);
    yield* hostileBodies(server, isQuick);
    yield* foreignDecisions(server);
  },
};

async function* foreignNames(server: AttackedServer): AsyncGenerator<Attempt> {
  const authorization = `Bearer ${server.adminToken}`;
  for (const path of ['/', '/v1/proposals', '/mcp', '/healthz', '/.well-known/agent-skills/index.json']) {
    for (const host of [
      'attacker.example',
      'localhost.attacker.example',
      '127.0.0.1.nip.example',
      'localhost@attacker.example',
    ]) {
      const { status } = await raw(server, 'GET', path, { host, authorization });
      yield attempt(`${path} answers under the name ${host}`, status === 421, `status ${status}`);
    }
    for (const origin of ['https://attacker.example', 'null', 'http://localhost.attacker.example']) {
      const { status } = await raw(server, 'GET', path, { host: 'localhost', origin, authorization });
      yield attempt(`${path} answers a page of ${origin}`, status === 403, `status ${status}`);
    }
    const forwarded = await raw(server, 'GET', path, { host: 'attacker.example', 'x-forwarded-host': 'localhost' });
    yield attempt(`${path} believes X-Forwarded-Host`, forwarded.status === 421, `status ${forwarded.status}`);
  }
}

async function* hostileBodies(server: AttackedServer, isQuick: boolean): AsyncGenerator<Attempt> {
  const token = await server.agent('requests');
  const send = (text: string, type = 'application/json', path = '/v1/executions') =>
    server.call('POST', path, { token, text, headers: { 'content-type': type } });
  const bodies: [name: string, text: string, statuses: number[], type?: string][] = [
    ...['__proto__', 'constructor', 'prototype', '\\u0063onstructor'].map((key): [string, string, number[]] => [
      `a report with the key ${key}`,
      `{"${key}":{"isAdmin":true}}`,
      [400],
    ]),
    ['a body nested 100 deep', `${'['.repeat(100)}${']'.repeat(100)}`, [400]],
    ['a form', 'status=completed', [415], 'application/x-www-form-urlencoded'],
    ['plain text', '{}', [415], 'text/plain'],
    ['half a body', '{"a":', [400]],
    ...(isQuick ? [] : [['a body of 40 MB', `"${'a'.repeat(40_000_000)}"`, [413]] as [string, string, number[]]]),
  ];
  for (const [name, text, statuses, type] of bodies) {
    const status = await send(text, type).then(
      (answer) => answer.status,
      () => 413,
    );
    yield attempt(`${name} is accepted`, statuses.includes(status), `status ${status}`);
  }
}

async function* foreignDecisions(server: AttackedServer): AsyncGenerator<Attempt> {
  const { id, sha256 } = await server.propose(SKILL);
  const tokens: [who: string, token: string | undefined][] = [
    ['no one', undefined],
    ['an agent', await server.agent('decider')],
    ['the administrator', server.adminToken],
    ['an invented token', 'gb_invented'],
  ];
  const path = `/v1/proposals/${id}`;
  const tries: [method: string, path: string, headers?: Record<string, string>][] = [
    ...['approve', 'reject', 'override', 'retire', 'rename'].map((verb): [string, string] => [
      'POST',
      `${path}/${verb}`,
    ]),
    ['GET', `${path}/approve`, { 'x-http-method-override': 'POST' }],
    ['POST', `${path}/%61pprove`],
    ['POST', `${path}//approve`],
    ['POST', `/v1/proposals/../proposals/${id}/approve`],
    ['POST', `${path}/approve?_method=PUT`],
    ['POST', `/review/${id}/approve`],
    ['PUT', path],
  ];
  for (const [who, token] of tokens)
    for (const [method, target, headers] of tries) {
      const text = method === 'GET' ? undefined : JSON.stringify({ artifactSha256: sha256, reason: 'forged' });
      const { status } = await server.call(method, target, {
        ...(token === undefined ? {} : { token }),
        ...(text === undefined ? {} : { text }),
        headers: { 'content-type': 'application/json', ...headers },
      });
      yield attempt(`${who} decides with ${method} ${target.replaceAll(id, 'id')}`, status >= 400, `status ${status}`);
    }
  const shown = await server.call('GET', path, { token: server.adminToken });
  const { state, decisions } = Object(shown.body);
  yield attempt('one of them decided', state === 'pending' && Object(decisions).length === 0, `state ${String(state)}`);
}
