import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BatchReceipt } from '../../src/capture/store/executions.schema.js';
import { MAX_BATCH } from '../../src/platform/http/line-receipt.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { whileJournalIsBroken } from '../support/journal.js';
import { referenceOf } from '../support/references.js';
import { report } from '../support/reports.js';

let app: TestApplication;
let ada: { id: string; token: string };

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada', 'Books');
});
afterAll(() => app.close());

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  http(app, ada.token).post('/v1/executions/batch').type('application/x-ndjson').set(headers).send(body);
const line = (change: object): string => JSON.stringify({ ...report(), ...change });
const received = ({ status, body }: { status: number; body: unknown }) => {
  expect(status).toBe(200);
  return BatchReceipt.parse(body);
};
const storedOf = async (agentId: string) =>
  (await app.database.client.execution.findMany({ where: { agentId } })).map(({ executionId }) => executionId).sort();
const references = (...ids: string[]) => ids.map((id) => referenceOf(app, id)).sort();

describe('a batch of reports', () => {
  it('accepts every valid line, and returns the number and the problem of every other line', async () => {
    const deep = `{"executionId":${'['.repeat(20)}${']'.repeat(20)}}`;
    const lines = [
      line({ executionId: 'b-1', errorMessage: 'password=correct-horse-9' }),
      '{"executionId": "half',
      '',
      line({ executionId: 'b-2', conversation: 'all of it' }),
      line({ executionId: 'b-3', status: 'running' }),
      line({ executionId: 'b-4' }).replace('{', '{"__proto__":{"x":1},'),
      deep,
      line({ executionId: 'b-5', taskTitle: '\u200b' }),
      `${line({ executionId: 'b-6' })}\r`,
    ];
    const answer = received(await post(`${lines.join('\n')}\n`));
    expect(answer).toMatchObject({ agent: 'Ada', new: 2, duplicate: 0, refused: 6 });
    expect(
      answer.lines.map(({ line: at, outcome, executionId, problem }) => [
        at,
        outcome,
        executionId ?? problem?.code,
        ...(problem?.errors.map(({ field }) => field) ?? []),
      ]),
    ).toEqual([
      [1, 'new', 'b-1'],
      [2, 'refused', 'request.malformed_json'],
      [4, 'refused', 'request.invalid', 'conversation'],
      [5, 'refused', 'request.invalid', 'status'],
      [6, 'refused', 'request.malformed_json', '__proto__'],
      [7, 'refused', 'request.too_deep'],
      [8, 'refused', 'execution.unusable_text', 'taskTitle'],
      [9, 'new', 'b-6'],
    ]);
    expect(await storedOf(ada.id)).toEqual(references('b-1', 'b-6'));
    const [first] = answer.lines;
    const { report: stored } = await app.admin.executions.show(first?.id ?? '');
    expect(stored.errorMessage).not.toContain('correct-horse');
    const { items } = await app.admin.journal.list({ subject: first?.id });
    expect(items.map(({ action }) => action)).toEqual(['execution.reported']);
  });

  it('sent again gives duplicates, and refuses only the line whose content differs', async () => {
    const resent = [line({ executionId: 'b-6' }), line({ executionId: 'b-1' }), line({ executionId: 'b-7' })];
    const answer = received(await post(resent.join('\n')));
    expect(answer.lines.map(({ outcome, problem }) => [outcome, problem?.code])).toEqual([
      ['duplicate', undefined],
      ['refused', 'execution.content_differs'],
      ['new', undefined],
    ]);
    expect(await storedOf(ada.id)).toEqual(references('b-1', 'b-6', 'b-7'));
  });

  it('may contain one execution twice, which is stored once', async () => {
    const answer = received(await post([1, 2].map(() => line({ executionId: 'b-8' })).join('\n')));
    expect(answer).toMatchObject({ new: 1, duplicate: 1 });
  });

  it('may be gzipped and sent by an importer that names the agent, as the client does', async () => {
    const { token } = await app.admin.services.add({ name: 'Importer', owner: 'Fleet', scopes: ['report-for'] });
    const headers = { 'content-encoding': 'gzip', authorization: `Bearer ${token}`, 'guildbook-agent': 'Hal' };
    const body = gzipSync(line({ executionId: 'h-1' }));
    expect(received(await post(body, headers))).toMatchObject({ agent: 'Hal', new: 1 });
    const answer = await app.client(token).executions.reportAll([report({ executionId: 'h-2' })], 'Hal');
    expect(answer).toMatchObject({ agent: 'Hal', new: 1, lines: [{ line: 1, outcome: 'new', executionId: 'h-2' }] });
  });

  it('must be JSON lines, is accepted only by this route, and has a maximum number of lines', async () => {
    expect((await post(JSON.stringify([report()]), { 'content-type': 'application/json' })).status).toBe(415);
    await http(app, ada.token).post('/v1/executions').type('application/x-ndjson').send(line({})).expect(415);
    const long = await post('{}\n'.repeat(MAX_BATCH + 1));
    expect([long.status, long.body]).toMatchObject([400, { code: 'request.invalid' }]);
    expect(received(await post('\n\n'))).toMatchObject({ new: 0, lines: [] });
  });

  it('is refused as a whole while the journal cannot be written, and accepted when it is sent again', async () => {
    const body = ['j-1', 'j-2', 'j-3'].map((executionId) => line({ executionId })).join('\n');
    const ben = await app.agent('Ben', 'Books');
    const headers = { authorization: `Bearer ${ben.token}` };
    await whileJournalIsBroken(app, async () => {
      expect((await post(body, headers)).body).toMatchObject({ status: 503, code: 'journal.unavailable' });
    });
    expect(await storedOf(ben.id)).toEqual([]);
    expect(received(await post(body, headers))).toMatchObject({ new: 3 });
    expect(await storedOf(ben.id)).toEqual(references('j-1', 'j-2', 'j-3'));
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });
});
