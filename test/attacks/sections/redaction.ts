import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { agentSpan, otlp, traceId } from '../../support/otlp.js';
import { report } from '../../support/reports.js';
import { SECRET_FORMS, type SecretForm } from '../../support/secret-forms.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

/** The text fields of a report and the longest text that each takes. */
const FIELDS: readonly (readonly [string, number, (text: string) => Parameters<typeof report>[0]])[] = [
  ['taskTitle', 500, (taskTitle) => ({ taskTitle })],
  ['taskDescription', 4_000, (taskDescription) => ({ taskDescription })],
  ['taskType', 100, (taskType) => ({ taskType })],
  ['model', 100, (model) => ({ model })],
  ['terminationReason', 200, (terminationReason) => ({ terminationReason })],
  ['errorCategory', 100, (errorCategory) => ({ errorCategory })],
  ['errorMessage', 2_000, (errorMessage) => ({ errorMessage })],
  ['missingCapability', 200, (missingCapability) => ({ missingCapability })],
  ['tags', 60, (tag) => ({ tags: [tag] })],
  ['call.name', 200, (name) => ({ toolCalls: [{ name, action: 'ls', ok: true }] })],
  ['call.action', 1_000, (action) => ({ toolCalls: [{ name: 'Bash', action, ok: true }] })],
  ['call.errorCategory', 100, (errorCategory) => ({ toolCalls: [{ ...FAILED, errorCategory }] })],
  ['call.errorMessage', 2_000, (errorMessage) => ({ toolCalls: [{ ...FAILED, errorMessage }] })],
  [
    'check.name',
    200,
    (name) => ({ verification: { outcome: 'succeeded', source: 'test', checks: [{ name, ok: true }] } }),
  ],
];
const FAILED = { name: 'Bash', action: 'ls', ok: false };
/** Shorter strings, such as a PIN, also occur in hashes and times. */
const SEARCHABLE = 9;

const Batch = z.object({ lines: z.array(z.object({ outcome: z.string(), id: z.string().optional() })) });

/** Secrets in every form and every text field: none is in an answer, the log, the skills folder or the database. */
export const section: Section = {
  name: 'redaction',
  async *attempts(server, { isQuick }) {
    const forms = SECRET_FORMS.filter((_, at) => !isQuick || at % 24 === 0);
    const token = await server.agent('courier-bot');
    yield* inReports(server, token, forms);
    yield await throughTools(server, token, forms);
    yield await throughHooks(server, token, forms);
    yield await throughTraces(server, token, forms);
    yield* inProposals(server, forms.slice(0, isQuick ? 4 : 24));
    yield* afterwards(server, forms);
  },
};

async function* inReports(server: AttackedServer, token: string, forms: readonly SecretForm[]): AsyncIterable<Attempt> {
  for (const [at, form] of forms.entries()) {
    const places = FIELDS.filter(([, longest]) => form.text.length <= longest);
    const lines = places.map(([field, , place]) =>
      JSON.stringify(report({ executionId: `form ${at} in ${field}`, taskId: `form ${at}`, ...place(form.text) })),
    );
    const answer = await server.call('POST', '/v1/executions/batch', {
      token,
      text: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const stored = Batch.safeParse(answer.body).data?.lines ?? [];
    const kept = await Promise.all(
      stored.map(async ({ id }, n) => {
        if (id === undefined) return [];
        const { body } = await server.call('GET', `/v1/executions/${id}`, { token: server.adminToken });
        return holdsSecret(JSON.stringify(body), form) ? [places[n]?.[0] ?? ''] : [];
      }),
    );
    const through = kept.flat();
    // Refused because nothing readable was left is as good as removed; an answer without lines shows nothing.
    const isHeld = through.length === 0 && stored.length === places.length;
    yield attempt(`${form.name} in a report`, isHeld, through.join(', ') || `gone from ${stored.length} fields`);
  }
}

/** A number in letters: beside a list of numbers, another number would be a part of it. */
const lettersOf = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

const RPC = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

async function throughTools(server: AttackedServer, token: string, forms: readonly SecretForm[]): Promise<Attempt> {
  let answers = '';
  for (const [at, { text }] of forms.entries()) {
    const calls: [string, object][] = [
      ['remember', { lesson: `Note ${lettersOf(at)}: ${text}`, task: text, why: text, steps: [text.slice(0, 400)] }],
      ['report_execution', report({ executionId: `tool ${at}`, taskTitle: text.slice(0, 500), errorMessage: text })],
      ['check_action', { tool: { name: 'Bash', action: text.slice(0, 1_000) }, memories: [] }],
      ['search_memory', { query: text }],
    ];
    for (const [name, args] of calls) {
      const body = { jsonrpc: '2.0', id: at, method: 'tools/call', params: { name, arguments: args } };
      const answer = await server.call('POST', '/mcp', { token, body, headers: RPC });
      answers += `${answer.status} ${JSON.stringify(answer.body)}\n`;
    }
  }
  const through = leaked(answers, forms);
  const isServed = !/^(?!200)/m.test(answers.trimEnd());
  return attempt('forms through the tools of MCP', through.length === 0 && isServed, through.join(', ') || 'gone');
}

async function throughHooks(server: AttackedServer, token: string, forms: readonly SecretForm[]): Promise<Attempt> {
  let accepted = 0;
  for (const [at, { text }] of forms.entries()) {
    const session = { session_id: `hook session ${at}`, cwd: `/srv/${at}` };
    const failed = { tool_name: 'Bash', tool_use_id: `use ${at}`, tool_input: { command: text }, error: text };
    for (const event of [
      { ...session, hook_event_name: 'UserPromptSubmit', prompt: text },
      { ...session, hook_event_name: 'PostToolUseFailure', ...failed },
      { ...session, hook_event_name: 'Stop', last_assistant_message: text },
    ]) {
      const { status } = await server.call('POST', '/v1/hooks/claude-code', { token, body: event });
      if (status === 200) accepted++;
    }
  }
  return attempt('forms through hooks', accepted === forms.length * 3, `${accepted} events taken`);
}

async function throughTraces(server: AttackedServer, token: string, forms: readonly SecretForm[]): Promise<Attempt> {
  let accepted = 0;
  for (const [at, { text }] of forms.entries()) {
    const spans = [
      agentSpan({ failed: text }),
      {
        id: 2,
        parent: 1,
        name: `execute_tool ${text}`,
        failed: text,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'Bash',
          'gen_ai.tool.call.arguments': JSON.stringify({ command: text }),
          'error.type': text,
        },
      },
    ];
    const trace = traceId().slice(0, 28) + at.toString(16).padStart(4, '0');
    const { status } = await server.call('POST', '/v1/traces', { token, body: otlp(spans, { trace }) });
    if (status === 200) accepted++;
  }
  return attempt('forms through traces', accepted === forms.length, `${accepted} traces taken`);
}

async function* inProposals(server: AttackedServer, forms: readonly SecretForm[]): AsyncIterable<Attempt> {
  const body = forms
    .map(({ text }) => `Then: ${text.replace(/\s+/g, ' ')}`)
    .join('\n')
    .slice(0, 1_500);
  const shown = forms.filter(({ text }) => body.includes(text));
  const { id } = await server.propose({ name: 'Send the parcel', description: 'Use when a parcel is late.', body });
  const answer = await server.call('GET', `/v1/proposals/${id}`, { token: server.adminToken });
  const through = leaked(JSON.stringify(answer.body), shown);
  yield attempt('forms in a proposal', answer.status === 200 && through.length === 0, through.join(', ') || 'gone');
  await server.approve(id, await server.reviewer('Rita'));
}

const LISTS = ['executions', 'memories', 'proposals', 'journal', 'skills', 'lessons'].map(
  (name) => `/v1/${name}?limit=100`,
);

/** What the server keeps and tells about everything before. */
async function* afterwards(server: AttackedServer, forms: readonly SecretForm[]): AsyncIterable<Attempt> {
  const places: [string, string][] = [];
  for (const path of LISTS) {
    const { status, body } = await server.call('GET', path, { token: server.adminToken });
    if (status === 200) places.push([`the answer of ${path}`, JSON.stringify(body)]);
  }
  places.push(['the log', server.log], ['the skills folder', filesBelow(server.skillsDir)]);
  if (server.databaseUrl !== undefined) places.push(...(await tableTexts(server.databaseUrl)));
  else places.push(['the files of the database', filesBelow(server.dataDir)]);
  for (const [name, text] of places) {
    const through = leaked(text, forms);
    yield attempt(
      `forms in ${name}`,
      text !== '' && through.length === 0,
      through.join(', ') || `${text.length} characters`,
    );
  }
}

/** True if a text holds the secret, as it is or as JSON writes it. */
const holdsSecret = (text: string, { gone }: SecretForm): boolean =>
  gone.some((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)));

/** The forms of which a text about many things holds the secret. */
const leaked = (text: string, forms: readonly SecretForm[]): string[] =>
  forms
    .filter((form) => holdsSecret(text, { ...form, gone: form.gone.filter(({ length }) => length >= SEARCHABLE) }))
    .map(({ name }) => name);

function filesBelow(folder: string): string {
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files
    .filter((file) => existsSync(file) && statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

/** The rows of every table that has some, as text. */
async function tableTexts(connectionString: string): Promise<[string, string][]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: [string, string][] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`);
      if (rows.length > 0) texts.push([`the table ${name}`, rows.map(({ row }) => row).join('\n')]);
    }
    return texts;
  } finally {
    await client.end();
  }
}
