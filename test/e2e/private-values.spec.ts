import { describe, expect, it } from '@jest/globals';
import type { CallArgument, ExecutionReport, ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { ModelSummaries } from '../../src/sessions/summaries/model-summaries.service.js';
import { SessionSummaries } from '../../src/sessions/summaries/session-summaries.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';
import { http } from '../support/http.js';
import { ANSWERS, startMessagesApi } from '../support/messages-api.js';

/** What names a person, a machine, a network or a folder, as reports spell it; the name says where it was planted. */
const FORMS: readonly ((name: string) => string)[] = [
  (name) => `${name}-3.corp.example`,
  (name) => `db-7.${name}.acme.systems`,
  (name) => `10.1.2.3 alias ${name}.prod.internal:5432`,
  (name) => `${name}@acme.example`,
  (name) => `https://${name}.acme.example/?u=${name}`,
  (name) => `/home/${name}/${name}.py`,
  (name) => `C:\\Users\\${name}\\shop\\a.txt`,
  (name) => `--owner ${name}`,
  (name) => `customer_name=${name}`,
  (name) => `{"reviewed_by": "${name} Lee"}`,
  (name) => `ssh ${name}@build7 ls`,
  (name) => `"Author: ${name} Lee <a@acme.example>"`,
  (name) => `{"createdBy": "Ann ${name}"}`,
  (name) => `--assignee ${name}.lee`,
];
const AGENTS = ['Ada', 'Ben', 'Cleo'];
const SYNTAX = 'SyntaxError: invalid syntax';

const letters = (n: number): string => String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26));
/** The name that stands at a place in a form. */
const nameOf = (place: number, form: number): string => `zqcanary${letters(place)}${letters(form)}`;

/** The report of one task, with another form in each of its texts. */
function planted(app: TestApplication, agent: string, round: number): ExecutionReport {
  const places = { n: 0 };
  const text = (before = ''): string => {
    const form = (round + places.n) % FORMS.length;
    const value = FORMS[form]?.(nameOf(places.n, form)) ?? '';
    places.n += 1;
    return before === '' ? value : `${before} ${value}`;
  };
  const argument = (): CallArgument => ({ key: text(), type: 'text', value: text() });
  // The same for all calls, so that a run differs from the next only in what was learned.
  const [note, argued, category, line, error] = [text(), argument(), text('syntax'), text(), text(`${SYNTAX} near`)];
  const call = (command: string, isFailure = false): ToolCall => ({
    name: 'Bash',
    action: `${command} ${note}`,
    arguments: [argued],
    ...(isFailure ? { ok: false, errorCategory: category, errorMessage: `${line}\n${error}` } : { ok: true }),
  });
  const at = app.clock.now().toISOString();
  return {
    executionId: `${agent} ${round}`,
    sessionId: `session ${agent} ${round}`,
    taskId: `task ${agent} ${round}`,
    taskTitle: text(`Prepare service ${agent}${round}`),
    taskDescription: text('It is late.'),
    taskType: text('release'),
    startedAt: at,
    finishedAt: at,
    status: 'failed',
    verification: { outcome: 'none' },
    terminationReason: text('gave up'),
    errorCategory: text('network'),
    errorMessage: text('Error: no answer from'),
    missingCapability: text('access to'),
    environment: {
      project: 'shop',
      repository: text(),
      operatingSystem: text('linux'),
      interpreters: [{ name: text('python'), version: text() }],
    },
    toolCalls: [
      call('python manage.py check', true),
      call('python manage.py check', true),
      call('python3 manage.py check'),
      {
        name: 'read_table',
        action: '',
        arguments: [argument()],
        ok: false,
        errorMessage: text('Error: no such table'),
      },
      { name: 'read_table', action: '', arguments: [{ key: 'table', type: 'text', value: 'books' }], ok: true },
    ],
    retryCount: 0,
    maxRetries: 3,
  };
}

/** The planted names that a text still has, with their form. */
const found = (text: string): string[] => [...new Set(text.toLowerCase().match(/zqcanary[a-z]{4}/g) ?? [])].sort();

/** Each agent reports each form at each place. Returns the first. */
async function reportAll(app: TestApplication): ReturnType<TestApplication['agent']> {
  const agents = [];
  for (const name of AGENTS) {
    const agent = await app.agent(name, `team of ${name}`);
    for (const round of FORMS.keys()) await agent.client.executions.report(planted(app, name, round));
    agents.push(agent);
  }
  await app.settled();
  const [first] = agents;
  if (first === undefined) throw new Error('no agent reported');
  return first;
}

describe('what names a person, a machine, a network or a folder in any text of a report', () => {
  it('reaches no model: not with the question for a lesson, a summary or the wording of a proposal', async () => {
    const api = await startMessagesApi();
    api.answer(ANSWERS.noUpdate());
    const app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' });
    try {
      await reportAll(app);
      app.app.get(SessionSummaries).wake();
      await app.app.get(SessionSummaries).idle();
      app.clock.advance(11 * MINUTE_MS);
      app.app.get(ModelSummaries).wake();
      await app.app.get(ModelSummaries).idle();
      await app.admin.evolver.run(false);
      const asked = api.requests.map(({ body }) => body.messages.map(({ content }) => content).join('\n'));
      for (const purpose of ['"dossier":', '"summary by rules"', '"evidence"'])
        expect({ purpose, asked: asked.some((text) => text.includes(purpose)) }).toEqual({ purpose, asked: true });
      expect(found(asked.join('\n'))).toEqual([]);
    } finally {
      await app.close();
      await api.close();
    }
  });

  it('is in no lesson, summary or proposal, and in nothing that is delivered', async () => {
    const app = await startTestApplication();
    try {
      const { client, token } = await reportAll(app);
      app.app.get(SessionSummaries).wake();
      await app.app.get(SessionSummaries).idle();
      await app.admin.evolver.run(false);
      const tables = await dumpTables(app.database);
      for (const table of ['memory', 'proposal', 'analysis_payload']) {
        expect({ table, isEmpty: tables[table]?.length === 0 }).toEqual({ table, isEmpty: false });
        expect({ table, found: found(String(tables[table])) }).toEqual({ table, found: [] });
      }
      const { items } = await app.admin.proposals.list();
      for (const { id } of items) expect(found(JSON.stringify(await app.admin.proposals.show(id)))).toEqual([]);
      const recalled = await client.recall({ query: 'python manage.py check fails with a SyntaxError' });
      expect(recalled.memories.length).toBeGreaterThan(0);
      const event = async (name: string, more: object) =>
        (
          await http(app, token)
            .post(`/v1/hooks/claude-code/${name}`)
            .send({ session_id: 'new', cwd: '/srv/shop', hook_event_name: name, ...more })
        ).text;
      const started = await event('SessionStart', { source: 'startup' });
      const failed = await event('PostToolUseFailure', {
        tool_name: 'Bash',
        tool_use_id: 'one',
        tool_input: { command: 'python manage.py check' },
        error: SYNTAX,
      });
      expect(`${started}${failed}`).toContain('python');
      expect(found(`${JSON.stringify(recalled)}${started}${failed}`)).toEqual([]);
    } finally {
      await app.close();
    }
  });
});
