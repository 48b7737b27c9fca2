import { IDENTIFIER_FORMATS } from '../../support/identifier-formats.js';
import { otlp, PYTHON_RUN, postTraces } from '../../support/otlp.js';
import { report } from '../../support/reports.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const COUNT = 1_000;
const QUICK_COUNT = 100;
const QUICK_FORMATS = 3;
/** Made up, and put together here, so that no file contains a whole secret. */
const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb';
const SECRET = ['gh', 'p_', RANDOM].join('');

const CREDENTIAL_NAMES: readonly string[] = [
  SECRET,
  `build bot ${SECRET}`,
  ['sk-', 'ant-api03-', RANDOM].join(''),
  ['glpat', '-', RANDOM.slice(0, 20)].join(''),
  ['AK', 'IA', 'Q7ZT2LMX3ABV4KC2'].join(''),
  ['gb', 't_', RANDOM].join(''),
  `${RANDOM}4Zq9`,
];
const ORDINARY_NAMES = ['build-bot-7f3a', 'claude-code@host', 'ci/runner-12', '3b0e2f1c-9d55-4b6e-8a53-6d1c2b3a4f50'];

/** Identifiers: none is lost because it looks like a secret, none is stored, and no name is a credential. */
export const section: Section = {
  name: 'ids',
  settings: { GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000' },
  async *attempts(server, { isQuick }) {
    const formats = Object.entries(IDENTIFIER_FORMATS).slice(0, isQuick ? QUICK_FORMATS : undefined);
    for (const [format, make] of formats) yield* sendMany(server, format, make, isQuick ? QUICK_COUNT : COUNT);
    yield* plantSecrets(server);
    yield* nameThings(server);
  },
};

async function* sendMany(
  server: AttackedServer,
  format: string,
  make: (n: number) => string,
  count: number,
): AsyncIterable<Attempt> {
  const token = await server.agent(`ids of ${format}`);
  const reports = Array.from({ length: count }, (_, n) => {
    const [executionId, taskId, sessionId] = [make(3 * n), make(3 * n + 1), make(3 * n + 2)];
    return report({ executionId, taskId, sessionId, toolCalls: [] });
  });
  const text = reports.map((one) => JSON.stringify(one)).join('\n');
  const options = { token, text, headers: { 'content-type': 'application/x-ndjson' } };
  const first = JSON.stringify((await server.call('POST', '/v1/executions/batch', options)).body).slice(0, 120);
  const counts = (known: number) => `"new":${count - known},"duplicate":${known},"refused":0`;
  yield attempt(
    `${count} runs with ids of the format ${format} collide or are refused`,
    first.includes(counts(0)),
    first,
  );
  const again = JSON.stringify((await server.call('POST', '/v1/executions/batch', options)).body).slice(0, 120);
  yield attempt(`the same ${format} ids count as new runs`, again.includes(counts(count)), again);
  const wanted = encodeURIComponent(reports.at(-1)?.executionId ?? '');
  const { status, body } = await server.call('GET', `/v1/executions?executionId=${wanted}`, {
    token: server.adminToken,
  });
  yield attempt(
    `a run cannot be found by its ${format} id`,
    status === 200 && JSON.stringify(body).includes('"total":1'),
    `${status}`,
  );
}

async function* plantSecrets(server: AttackedServer): AsyncIterable<Attempt> {
  const token = await server.agent('plants secrets');
  const ids = { executionId: SECRET, taskId: `task ${SECRET}`, sessionId: `s:${SECRET}`, parentExecutionId: SECRET };
  const answers = [
    await server.call('POST', '/v1/executions', { token, body: report(ids) }),
    await server.call('POST', '/v1/recall', { token, body: { query: 'close the books', sessionId: SECRET } }),
    await server.call('POST', '/v1/memories', { token, body: { lesson: 'Close the books', sessionId: SECRET } }),
    await server.call('POST', '/v1/gate', { token, body: { tool: { name: 'Bash' }, memories: [], sessionId: SECRET } }),
    await server.call('POST', '/v1/hooks/claude-code', {
      token,
      body: { session_id: SECRET, prompt_id: SECRET, hook_event_name: 'UserPromptSubmit', prompt: 'close the books' },
    }),
  ];
  const named = { 'gen_ai.conversation.id': SECRET, 'gen_ai.tool.call.id': SECRET };
  await postTraces(
    server.url,
    token,
    otlp(PYTHON_RUN.map((span) => ({ ...span, attributes: { ...span.attributes, ...named } }))),
  );
  const said = JSON.stringify(answers.map(({ body }) => body));
  yield attempt(
    'a secret in an identifier comes back in an answer',
    !said.includes(RANDOM),
    `${answers.map(({ status }) => status)}`,
  );
  const options = { token: server.adminToken };
  const [list, journal] = [
    await server.call('GET', '/v1/executions?limit=200', options),
    await server.call('GET', '/v1/journal?order=newest&limit=200', options),
  ];
  const shown = JSON.stringify([list.body, journal.body]);
  yield attempt(
    'a secret in an identifier is listed or journalled',
    list.status === 200 && journal.status === 200 && !shown.includes(RANDOM),
    `${list.status} ${journal.status}`,
  );
  yield attempt('a secret in an identifier is logged', !server.log.includes(RANDOM), `${server.log.length} characters`);
}

async function* nameThings(server: AttackedServer): AsyncIterable<Attempt> {
  const token = server.adminToken;
  const kinds: readonly (readonly [string, string, (name: string) => object])[] = [
    ['an agent', '/v1/agents', (name) => ({ name })],
    ['an owner', '/v1/agents', (owner) => ({ name: 'owned', owner })],
    ['a role', '/v1/agents', (role) => ({ name: 'with a role', role })],
    ['a department', '/v1/agents', (department) => ({ name: 'with a department', department })],
    ['a service', '/v1/services', (name) => ({ name, scopes: ['read'] })],
    ['a person', '/v1/people', (name) => ({ name, email: 'someone@example.test' })],
  ];
  for (const [kind, path, body] of kinds)
    for (const name of CREDENTIAL_NAMES) {
      const { status, body: answer } = await server.call('POST', path, { token, body: body(name) });
      const said = JSON.stringify(answer);
      const held = status === 400 && said.includes('looks like a credential') && !said.includes(name);
      yield attempt(`${kind} is named by a credential (${name.slice(0, 4)}…)`, held, `${status}`);
    }
  for (const name of CREDENTIAL_NAMES) {
    const headers = { 'guildbook-agent': name };
    const { status } = await server.call('POST', '/v1/executions', { token, body: report(), headers });
    yield attempt(`an importer names an agent by a credential (${name.slice(0, 4)}…)`, status === 400, `${status}`);
  }
  for (const name of ORDINARY_NAMES) {
    const { status } = await server.call('POST', '/v1/agents', { token, body: { name } });
    yield attempt(`an ordinary name is refused (${name})`, status === 201, `${status}`);
  }
}
