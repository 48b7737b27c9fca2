import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SwaggerModule } from '@nestjs/swagger';
import { startTestApplication, type TestApplication } from '../support/application.js';

interface Content {
  schema: Record<string, unknown>;
  example?: unknown;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary?: string;
  security?: unknown[];
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}
interface Document {
  info: { version: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

/** The function names of a generated client. A change here breaks its users. */
const OPERATIONS = [
  'addAuditStream',
  'addWebhook',
  'approveProposal',
  'callRecallTool',
  'cancelTuning',
  'checkPromotion',
  'checkToolCall',
  'closeSession',
  'correctLesson',
  'createSignInLink',
  'deleteEmbedderCheckpoint',
  'deleteLesson',
  'deleteSessionEntry',
  'disablePrincipal',
  'dropMetrics',
  'editProposal',
  'editSessionEntry',
  'endMcpSession',
  'exportJournal',
  'getActiveEmbedder',
  'getConsolidationRun',
  'getEvolverCycle',
  'getExecution',
  'getFailureFamily',
  'getHealth',
  'getHookState',
  'getJournalCheckpoint',
  'getJournalProof',
  'getLearningStatus',
  'getMe',
  'getMetrics',
  'getPromotion',
  'getProposal',
  'getProposerUsage',
  'getReadiness',
  'getRecallState',
  'getRepository',
  'getRetention',
  'getServer',
  'getServerCard',
  'getSessionPreamble',
  'getSkill',
  'getSkillArchive',
  'getSkillEffect',
  'getSkillFile',
  'getSkillIndex',
  'getSkillReference',
  'getTuningRun',
  'getTuningStatus',
  'getUpkeepRun',
  'invitePerson',
  'issueOwnAgentToken',
  'listAgents',
  'listAuditStreams',
  'listConsolidationPauses',
  'listConsolidationRuns',
  'listDeliveries',
  'listDeliveryPauses',
  'listEmbedderCheckpoints',
  'listEvolverCandidates',
  'listEvolverCycles',
  'listExecutions',
  'listFailureFamilies',
  'listJournalEntries',
  'listLessonWriters',
  'listLessons',
  'listPeople',
  'listPromotions',
  'listProposals',
  'listServices',
  'listSessions',
  'listSkillEffects',
  'listSkills',
  'listTombstones',
  'listTuningRuns',
  'listUpkeepRuns',
  'listWebhookDeliveries',
  'listWebhooks',
  'openMcpStream',
  'overrideProposal',
  'pauseConsolidation',
  'pauseDelivery',
  'pinLesson',
  'preflightTuning',
  'proposeSkillMerges',
  'readSession',
  'readSessionEntry',
  'recall',
  'recallSessions',
  'registerAgent',
  'registerPerson',
  'registerService',
  'rejectProposal',
  'remember',
  'rememberBatch',
  'removeAuditStream',
  'removeWebhook',
  'renameSkill',
  'reopenProposal',
  'reportExecution',
  'reportExecutionBatch',
  'reportHook',
  'reportLogs',
  'reportNamedHook',
  'reportSkillUse',
  'reportTraces',
  'resolveConflict',
  'resumeConsolidation',
  'resumeDelivery',
  'resumeTuning',
  'retireLesson',
  'retireSkill',
  'revokeOwnToken',
  'rollbackEmbedder',
  'rotateToken',
  'runConsolidation',
  'runEvolverCycle',
  'runRetention',
  'runUpkeep',
  'saveSessionEntry',
  'sendMcpMessage',
  'setSkillRollout',
  'shareLesson',
  'showLesson',
  'showTombstone',
  'signIn',
  'signOut',
  'startSession',
  'startTuning',
  'testWebhook',
  'undoConsolidationRun',
  'undoUpkeepRun',
  'unshareLesson',
  'updateAgent',
  'updatePerson',
  'verifyJournal',
  'verifyLesson',
];

const documentOf = async ({ url }: TestApplication): Promise<Document> =>
  // What the server sends is read as if it had this form; where it has not, a test fails.
  (await (await fetch(`${url}/v1/openapi.json`)).json()) as Document;

describe('the API document', () => {
  let app: TestApplication;
  let document: Document;
  let routes: [string, Operation][];

  beforeAll(async () => {
    app = await startTestApplication();
    document = await documentOf(app);
    routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });
  afterAll(() => app.close());

  const failing = (holds: (operation: Operation) => boolean) =>
    routes.filter(([, operation]) => !holds(operation)).map(([route]) => route);
  const contentsOf = ({ requestBody, responses }: Operation) =>
    [requestBody, ...Object.values(responses)].flatMap((body) => Object.values(body?.content ?? {}));

  it('is made once and kept as bytes, with a strong ETag for each encoding', async () => {
    const made = jest.spyOn(SwaggerModule, 'createDocument');
    const answers = await Promise.all(Array.from({ length: 64 }, () => fetch(`${app.url}/v1/openapi.json`)));
    const [etag = ''] = answers.map(({ headers }) => headers.get('etag') ?? '');
    expect(etag).toMatch(/^"[0-9a-f]{64}-gzip"$/);
    for (const answer of answers) expect([answer.headers.get('etag'), await answer.json()]).toEqual([etag, document]);
    const again = await fetch(`${app.url}/v1/openapi.json`, { headers: { 'if-none-match': `"old", W/${etag}` } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const plain = await fetch(`${app.url}/v1/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('etag')).toBe(etag.replace('-gzip', ''));
    expect([plain.headers.get('content-encoding'), await plain.json()]).toEqual([null, document]);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  it('is made between other requests, once for all that ask for it first', async () => {
    const other = await startTestApplication();
    const made = jest.spyOn(SwaggerModule, 'createDocument');
    const ended: string[] = [];
    const ask = async (url: string) => {
      await other.app.inject({ url });
      ended.push(url);
    };
    const asked = Array.from({ length: 64 }, () => ask('/v1/openapi.json'));
    await Promise.all([...asked, ask('/healthz')]);
    expect(ended[0]).toBe('/healthz');
    const modules = made.mock.calls.map(([, , options]) => options?.include?.[0]);
    made.mockRestore();
    await other.close();
    expect(new Set(modules).size).toBe(modules.length);
  });

  it('is not served as YAML, which takes a second of the event loop each time', async () => {
    for (const path of ['/v1/docs-yaml', '/v1/docs/yaml', '/v1/openapi.yaml'])
      expect([path, (await fetch(app.url + path)).status]).toEqual([path, 404]);
  });

  it('is shown by a page that loads it, with files that a browser keeps', async () => {
    const page = await (await fetch(`${app.url}/v1/docs`)).text();
    expect(page.length).toBeLessThan(2_000);
    const files = [...page.matchAll(/(?:src|href)="(\/v1\/docs\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files).toHaveLength(3);
    for (const path of files) {
      const { status, headers } = await fetch(app.url + path);
      const again = await fetch(app.url + path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      expect([path, status, headers.get('content-encoding'), again.status]).toEqual([path, 200, 'gzip', 304]);
    }
    for (const path of ['swagger-ui.css.map', '..%2fpackage.json', 'constructor'])
      expect([path, (await fetch(`${app.url}/v1/docs/${path}`)).status]).toEqual([path, 404]);
  });

  it('names each operation once', () => {
    expect(routes.map(([, { operationId }]) => operationId).sort()).toEqual(OPERATIONS);
  });

  it('has the version of the package, and each operation under one described tag', async () => {
    expect(document.info.version).toBe(JSON.parse(await readFile('package.json', 'utf8')).version);
    const described = document.tags.filter(({ description }) => description.length > 10).map(({ name }) => name);
    expect(failing(({ tags }) => tags.length === 1 && described.includes(tags[0] ?? ''))).toEqual([]);
    const used = routes.flatMap(([, { tags }]) => tags);
    expect(described.filter((name) => !used.includes(name))).toEqual([]);
  });

  it('names the public address of the server, or the address that it was read from', async () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
    const other = await startTestApplication({ GUILDBOOK_PUBLIC_URL: 'https://guildbook.example.org' });
    const { servers } = await documentOf(other);
    await other.close();
    expect(servers.map(({ url }) => url)).toEqual(['https://guildbook.example.org']);
  });

  it('has an example for every parameter, body and response of every route', () => {
    expect(routes.length).toBeGreaterThan(40);
    expect(failing(({ parameters = [] }) => parameters.every(({ example }) => example !== undefined))).toEqual([]);
    expect(failing((operation) => contentsOf(operation).every(({ example }) => example !== undefined))).toEqual([]);
  });

  it('lists every status of a route: its answers, and each refusal as problem+json', () => {
    const gives = ({ responses }: Operation) =>
      Object.entries(responses).some(([status, { content }]) => status === '204' || (status[0] === '2' && content));
    const problems = ({ responses }: Operation) =>
      Object.entries(responses).filter(([status]) => status[0] === '4' || status[0] === '5');
    expect(failing((operation) => gives(operation) || '405' in operation.responses)).toEqual([]);
    expect(failing((operation) => problems(operation).every(([status]) => /^\d{3}$/.test(status)))).toEqual([]);
    const hasProblem = (operation: Operation) =>
      problems(operation).every(([, { content = {} }]) => 'application/problem+json' in content);
    // These protocols have their own form of an error.
    const own = ['POST /v1/traces', 'POST /v1/logs', 'POST /v1/metrics', 'POST /mcp', 'GET /mcp', 'DELETE /mcp'];
    expect(failing(hasProblem).sort()).toEqual(own.sort());
    const secured = ['400', '401', '403', '429', '500'];
    expect(failing(({ security, responses }) => !security || secured.every((status) => status in responses))).toEqual(
      [],
    );
    const changes = ['413', '415', '503'];
    const missing = routes.filter(
      ([route, { responses }]) => !route.startsWith('GET') && !changes.every((status) => status in responses),
    );
    expect(missing.map(([route]) => route)).toEqual([]);
    expect(failing(({ summary }) => (summary ?? '').length > 5)).toEqual([]);
  });

  it('lists 404 for what is named in the path, and 412 where If-Match is compared', () => {
    const unnamed = routes.filter(([route, { responses }]) => route.includes('{') && !('404' in responses));
    // An unknown product or event is answered with nothing, so that it never stops an agent.
    expect(unnamed.map(([route]) => route).filter((route) => !route.includes('/v1/hooks/'))).toEqual([]);
    const compares = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'if-match');
    expect(failing((operation) => compares(operation) === '412' in operation.responses)).toEqual([]);
  });

  it('refers only to schemas that it has', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target ?? '');
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((target) => !named.includes(target))).toEqual([]);
    // A schema that refers to itself gets a generated name unless it has an id.
    expect(named.filter((name) => name.includes('__'))).toEqual([]);
  });

  it('has example requests that the server accepts as valid', async () => {
    const wrong: unknown[] = [];
    for (const [route, { parameters = [], requestBody }] of routes) {
      const [method = '', template = ''] = route.split(' ');
      // Both would end the session of this test.
      if (route.startsWith('POST /v1/sign-out') || template.startsWith('/sign-in')) continue;
      const url = new URL(
        template.replace(/\{(\w+)\}/g, (_, name) => String(parameters.find((one) => one.name === name)?.example)),
        app.url,
      );
      for (const { name, in: place, example } of parameters)
        if (place === 'query') url.searchParams.set(name, String(example));
      const headers = parameters.filter(({ in: place }) => place === 'header');
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const body = content?.example;
      const answer = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${app.adminToken}`,
          ...Object.fromEntries(headers.map(({ name, example }) => [name, String(example)])),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body: type === 'application/json' ? JSON.stringify(body) : String(body) }),
      });
      const text = await answer.text();
      // 501: valid, but not with these settings.
      const isFault = answer.status >= 500 && answer.status !== 501;
      if (/request\.(invalid|malformed_json)/.test(text) || isFault) wrong.push([route, body, text]);
    }
    expect(wrong).toEqual([]);
  });
});
