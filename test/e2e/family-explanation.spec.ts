import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { FamilyQuestion } from '../../src/evidence/answers/family-question.js';
import type { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { FamilyWriterModel } from '../../src/propose/families/family-writer-model.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { saysOfFamily } from '../support/family-questions.js';
import { pythonReport, reportPythonFleet } from '../support/fleet.js';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { run } from '../support/reports.js';
import { lessonAnswer } from '../support/writer-sample.js';

const FLEET = ['ada', 'ben', 'cleo', 'dan'];
const MODEL = /^anthropic\/.+\/families-\d+$/;
let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterEach(() => app.close());
afterAll(() => api.close());

const refused = (status: number, code: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ status, code }) });

async function withModel(): Promise<void> {
  api.answer(ANSWERS.noUpdate());
  app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' });
}

/** Examines the families of a fleet, without a proposal. */
async function examined(): Promise<string> {
  await reportPythonFleet(app, FLEET);
  await app.admin.evolver.run(true);
  const [family] = (await app.admin.evolver.families()).items;
  if (!family) throw new Error('no family');
  return family.fingerprint;
}

async function answered(family: string, answer: LessonAnswer): Promise<void> {
  api.answer(saysOfFamily(answer));
  const { dossier } = await app.admin.evolver.family(family);
  const question: FamilyQuestion = { family, executions: 4, dossier, learnedFrom: 'a' };
  const cycleId = '00000000-0000-4000-8000-000000000001';
  await app.app.get(FamilyWriterModel).answers({ cycleId, questions: [question], extendLease: async () => undefined });
}

it('a family without a model says that rules wrote, with its figures and what became of it', async () => {
  app = await startTestApplication();
  await reportPythonFleet(app, FLEET);
  await app.admin.evolver.run(false);
  const [family] = (await app.admin.evolver.families()).items;
  const [proposal] = (await app.admin.proposals.list()).items;
  await app.admin.proposals.reject(proposal?.id ?? '', 'unclear: which scripts?');
  const found = await app.admin.evolver.explain(family?.fingerprint ?? '');
  expect(found).toMatchObject({
    family,
    model: null,
    answer: null,
    unanswered: 'rules_only',
    gates: null,
    dossier: expect.stringContaining('SyntaxError'),
    prompt: { system: expect.stringContaining('dossier'), user: expect.stringContaining('python manage.py check') },
    candidates: [{ because: null, with: { worked: 4, n: 4 } }],
    proposals: [{ id: proposal?.id, state: 'rejected', writer: 'rules', reason: 'unclear: which scripts?' }],
  });
});

it('an answer is explained with its prompt, and with what the gates made of it', async () => {
  await withModel();
  const family = await examined();
  expect(await app.admin.evolver.explain(family)).toMatchObject({
    model: expect.stringMatching(MODEL),
    answer: null,
    unanswered: 'waiting',
    gates: null,
  });
  const answer = lessonAnswer({
    condition: 'A script that is run with `python` fails with "SyntaxError: invalid syntax".',
    cause: '',
    steps: ['Run the same script with `python3`.', 'Run `rm --force-all x`.'],
    gotchas: [],
    example: { number: 1, worked: 1 },
  });
  await answered(family, answer);
  const found = await app.admin.evolver.explain(family.slice(0, 20));
  expect(found).toMatchObject({
    answer: { by: expect.stringMatching(MODEL), answer, executions: 4, rewritten: false, askedAt: expect.any(String) },
    unanswered: null,
  });
  const asked = api.requests.at(-1)?.body;
  expect(found.prompt).toEqual({ system: asked?.system[0]?.text, user: asked?.messages[0]?.content });
  const { gates } = found;
  expect([...(gates?.removed ?? []), ...(gates?.findings ?? []).map(({ text }) => text)].join()).toContain(
    '--force-all',
  );
});

it('a refusal is explained with its kind', async () => {
  await withModel();
  const family = await examined();
  await answered(family, {
    decision: 'no_lesson',
    lesson: null,
    refusal: { kind: 'heterogeneous', reason: 'The examples have different causes.' },
  });
  expect(await app.admin.evolver.explain(family)).toMatchObject({
    gates: { declined: 'heterogeneous: The examples have different causes.', passed: false },
  });
});

it('a lesson that a model wrote is explained with both writers, and reviewers see its record', async () => {
  api.answer(ANSWERS.noUpdate());
  const key = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' };
  const constants = { proposerWordsDrafts: false, proposerCallsPerMinute: 1_000 };
  app = await startTestApplication(key, false, constants);
  const FAILED = run('python a.py', 'SyntaxError: invalid syntax');
  const toolCalls = [run('ls'), FAILED, FAILED, run('python --version'), run('python3 a.py')];
  const clients = [];
  for (const name of [...FLEET, 'eva', 'fay']) clients.push((await app.agent(name, `team of ${name}`)).client);
  for (let n = 0; n < 24; n += 1)
    await clients[n % clients.length]?.executions.report({ ...pythonReport(app, `task ${n}`), toolCalls });
  await app.settled();
  const { report: dry } = await app.admin.evolver.run(true);
  const [waiting] = (await app.admin.evolver.families()).items;
  const family = waiting?.fingerprint ?? '';
  const before = await app.admin.evolver.explain(family);
  expect([dry?.written.asked, before.unanswered]).toEqual([0, 'waiting']);

  api.forget();
  api.answer(saysOfFamily(lessonAnswer({ example: { number: 1, worked: 3 } })));
  await app.admin.evolver.run(false);
  const found = await app.admin.evolver.explain(family);
  expect(found.gates).toEqual({ declined: null, findings: [], problem: null, removed: [], passed: true });
  // It was asked what it would have been asked before: with the dossier of one half.
  expect(found.prompt).toEqual(before.prompt);
  expect(found.prompt?.user).toBe(api.requests[0]?.body.messages[0]?.content);
  expect(found.candidates.map(({ by, because }) => [by, because])).toEqual(
    expect.arrayContaining([
      [found.model, null],
      ['rules', 'other_writer'],
    ]),
  );
  expect(found.proposals).toMatchObject([{ state: 'pending', writer: found.model }]);
  await app.admin.proposals.reject(found.proposals[0]?.id ?? '', 'unclear');
  expect((await app.admin.evolver.writers()).items).toMatchObject([
    { writer: found.model, submitted: 1, rejected: 1, reasons: [{ reason: 'unclear', n: 1 }] },
  ]);
});

it('a prefix names one family, and says so if it names none or several', async () => {
  app = await startTestApplication();
  await expect(app.admin.evolver.explain('abcd')).rejects.toEqual(refused(404, 'evolver.no_cycle'));
  const family = await examined();
  for (const name of FLEET) {
    const { client } = await app.agent(`${name} of the forge`, `team of ${name}`);
    const STALE = run('forge build site.cfg', 'forge: the lock file is stale');
    const toolCalls = [STALE, STALE, run('forge build --fresh site.cfg')];
    await client.executions.report({ ...pythonReport(app, `forge of ${name}`), toolCalls });
  }
  await app.settled();
  await app.admin.evolver.run(true);
  expect((await app.admin.evolver.explain(family.slice('sha256:'.length, 19))).family.fingerprint).toBe(family);
  const unknown = `${family.slice(0, 60)}${family.endsWith('0') ? '1' : '0'}`;
  await expect(app.admin.evolver.explain(unknown)).rejects.toEqual(refused(404, 'evolver.unknown_family'));
  await expect(app.admin.evolver.explain('xyz')).rejects.toEqual(refused(400, 'request.invalid'));
});
