import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { sanitiseReport } from '../../src/capture/report/sanitised-report.js';
import { ServerLogger } from '../../src/platform/telemetry/server-logger.js';
import { LessonFileSync } from '../../src/propose/lessons/lesson-file-sync.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CANARY_COUNT, canary } from '../support/canaries.js';
import { dumpTables } from '../support/dump.js';
import { pythonReport } from '../support/fleet.js';
import { FOREIGN_FORMATS, type Session } from '../support/foreign-sessions.js';
import { http } from '../support/http.js';
import { whileJournalIsBroken } from '../support/journal.js';
import { type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { textFields, textPlaces, withChangedText, withTextFields } from '../support/text-fields.js';

const SESSION: Session = {
  id: 'session',
  task: 'Close the books',
  steps: [
    { tool: 'Bash', input: { command: 'python close.py' }, error: 'SyntaxError: invalid syntax' },
    { tool: 'Read', input: { file_path: 'close.py' }, output: 'print(1)' },
    { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'closed' },
  ],
  answer: 'Closed',
  end: 'normal',
};

let app: TestApplication;
let api: MessagesApi;
let written = '';
const lessons = mkdtempSync(join(tmpdir(), 'guildbook-canaries-'));

beforeAll(async () => {
  api = await startMessagesApi();
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  app = await startTestApplication(
    { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted', GUILDBOOK_SKILL_MD_DIRECTORY: lessons },
    new ServerLogger('json', (text) => text),
  );
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
  await api.close();
  rmSync(lessons, { recursive: true });
});

/** One record per text in it, with the next canary at that place: instead of the text or beside it. */
function* plantings(record: unknown, count: { n: number }): Generator<unknown> {
  for (const path of textPlaces(record)) {
    const { text } = canary(count.n % CANARY_COUNT);
    count.n += 1;
    yield withChangedText(record, path, (before) => (count.n % 2 === 0 ? text : `${before} ${text}`));
  }
  // and with canaries in every field that an importer reads and this record lacks
  yield withTextFields(record, FIELDS, () => {
    count.n += 1;
    return canary(count.n % CANARY_COUNT).text;
  });
}

/** All fields of all importer schemas, found by reflection, so that new fields are included. */
const FIELDS = textFields();

/** Reports in one request. */
const BATCH = 50;
/** Formats that are sent over HTTP; the others are files. */
const SENT = ['otel', 'claude-code-hooks', 'codex-hooks'];

describe('two hundred secrets in every text of every importer', () => {
  const count = { n: 0 };

  it('are planted in every field, found by reflection over the schemas', () => {
    expect(FIELDS).toEqual(
      expect.arrayContaining(['error', 'function_name', 'model', 'prompt', 'session_id', 'stderr', 'traceId']),
    );
  });

  it('are imported from files, as by the command line', async () => {
    const { client } = await app.agent('Ada');
    const waiting: ExecutionReport[] = [];
    // A text that an importer ignores leaves the report as it was; to send it again would prove nothing.
    const sent = new Set<string>();
    const send = async () => expect((await client.executions.reportAll(waiting.splice(0))).refused).toBe(0);
    for (const { importer, lines, byLine, context } of FOREIGN_FORMATS) {
      if (SENT.includes(importer.format)) continue;
      const texts = byLine ? lines(SESSION) : [lines(SESSION).join('\n')];
      for (const [at, text] of texts.entries())
        for (const record of plantings(JSON.parse(text), count)) {
          const changed = texts.with(at, JSON.stringify(record));
          for (const [n, derived] of importer
            .derive(changed, { sessionHint: `s-${count.n}`, ...context?.(SESSION) })
            .reports.entries()) {
            const executionId = `run ${count.n} ${n} of ${derived.executionId.slice(0, 150)}`;
            const sanitised = sanitiseReport({ ...derived, executionId });
            if (!sanitised.usable) continue;
            const same = withoutIds(sanitised.report);
            if (!sent.has(same)) waiting.push(sanitised.report);
            sent.add(same);
          }
          if (waiting.length >= BATCH) await send();
        }
    }
    if (waiting.length > 0) await send();
    expect(sent.size).toBeGreaterThan(CANARY_COUNT);
  });

  it('are in every text of a pattern across agents, but not in the proposal that a person approves', async () => {
    const names = ['Cleo', 'Dan', 'Eve', 'Finn'];
    for (const [n, name] of names.entries()) {
      const { client } = await app.agent(name, `team of ${name}`);
      await client.executions.report(withSecrets(pythonReport(app, name), n, names.length));
    }
    await app.settled();
    await app.admin.evolver.run(false);
    const { items } = await app.admin.proposals.list();
    for (const { id } of items) {
      const proposal = await app.admin.proposals.show(id);
      expect(found(JSON.stringify(proposal))).toEqual([]);
      await app.admin.proposals.approve(id, proposal.artifactSha256);
    }
    await app.settled();
    expect(items.length).toBeGreaterThan(0);
  });

  it('are not in the server’s log, also for refused requests and errors', async () => {
    const { token } = await app.agent('Gus');
    for (let n = 0; n < CANARY_COUNT; n += 20) {
      const { text } = canary(n);
      const body = { ...pythonReport(app, `refused ${n}`), [text]: text, status: text };
      await http(app, token).post('/v1/executions').query({ q: text }).send(body).expect(400);
    }
    await whileJournalIsBroken(app, async () => {
      const secret = withSecrets(pythonReport(app, 'while it is broken'), 0, 1);
      await expect(app.client(token).executions.report(secret)).rejects.toMatchObject({ problem: { status: 503 } });
    });
    expect(written).toContain('"level":"error"');
    expect(found(written)).toEqual([]);
  });

  it('are received by the server as hooks and traces', async () => {
    const { token } = await app.agent('Ben');
    const post = async (path: string, body: object) => (await http(app, token).post(path).send(body)).status;
    const paths = {
      otel: '/v1/traces',
      'claude-code-hooks': '/v1/hooks/claude-code',
      'codex-hooks': '/v1/hooks/codex',
    };
    for (const [format, path] of Object.entries(paths))
      for (const line of FOREIGN_FORMATS.find(({ importer }) => importer.format === format)?.lines(SESSION) ?? []) {
        expect(await post(path, JSON.parse(line))).toBe(200);
        for (const record of plantings(JSON.parse(line), count))
          expect(await post(path, Object(record))).toBeLessThan(500);
      }
    expect(count.n).toBeGreaterThan(CANARY_COUNT);
    app.clock.advance(48 * 3_600_000);
    const fragments = JSON.stringify(await app.database.client.reportFragment.findMany());
    expect(found(fragments)).toEqual([]);
    app.app.get(FragmentAssembler).wake();
    await app.app.get(FragmentAssembler).idle();
    await app.settled();
  });

  it('are not in the database, journal, requests to the model, published files or git objects', async () => {
    expect(found(JSON.stringify(await dumpTables(app.database)))).toEqual([]);
    expect(found(written)).toEqual([]);
    expect(api.requests.length).toBeGreaterThan(0);
    expect(found(api.requests.map(({ raw }) => raw).join('\n'))).toEqual([]);
    app.app.get(LessonFileSync).wake();
    await app.app.get(LessonFileSync).idle();
    for (const folder of [app.skillsDir, lessons]) {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const skills = files.filter((file) => file.endsWith('SKILL.md') && !file.startsWith('.git'));
      expect(skills.length).toBeGreaterThan(0);
      expect(found(skills.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n'))).toEqual([]);
    }
    // Every object, including those that no commit reaches.
    const all = ['cat-file', '--batch-all-objects', '--batch'];
    const objects = execFileSync('git', ['-C', app.skillsDir, ...all], { encoding: 'latin1', maxBuffer: 2 ** 28 });
    expect(objects).toContain('SKILL.md');
    expect(found(objects)).toEqual([]);
  });
});

/** What a report says, without the ids that the spec gave it. */
const withoutIds = (report: ExecutionReport): string =>
  JSON.stringify({ ...report, executionId: '' }).replaceAll(/\bs-\d+/g, '');

/** The report of one of `of` agents, with its share of the canaries in every text from which a pattern is made. */
function withSecrets(report: ExecutionReport, agent: number, of: number): ExecutionReport {
  const own = Array.from({ length: CANARY_COUNT / of }, (_, n) => canary(agent * (CANARY_COUNT / of) + n).text);
  const some = (from: number, count: number) => own.slice(from, from + count).join('\n');
  return {
    ...report,
    taskTitle: `${report.taskTitle} ${own[0] ?? ''}`,
    taskDescription: own.join('\n').slice(0, 4_000),
    errorMessage: some(20, 10),
    terminationReason: own[1] ?? 'ended',
    toolCalls: report.toolCalls.map((call, n) => ({
      ...call,
      action: call.ok ? `${call.action} --note '${own[2 + n] ?? ''}'` : call.action,
      ...(call.ok ? {} : { errorMessage: `${call.errorMessage}\n${some(30 + n * 10, 10)}`.slice(0, 2_000) }),
    })),
  };
}

/** The canaries that the text still contains, with their transforms. */
function found(text: string): string[] {
  const all = Array.from({ length: CANARY_COUNT }, (_, n) => canary(n));
  return all.flatMap(({ transform, gone }, n) =>
    gone.some((part) => text.includes(part)) ? [`${n} ${transform}`] : [],
  );
}
