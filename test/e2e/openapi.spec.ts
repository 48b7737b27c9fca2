import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';

interface Content {
  schema: Record<string, unknown>;
  example?: unknown;
}
interface Operation {
  summary?: string;
  security?: unknown[];
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

describe('the API document', () => {
  let app: TestApplication;
  let document: Document;
  let routes: [string, Operation][];

  beforeAll(async () => {
    app = await startTestApplication();
    // What the server sends is read below as if it had this form; where it has not, the test fails.
    document = (await (await fetch(`${app.url}/v1/openapi.json`)).json()) as Document;
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

  it('has an example for every parameter, body and answer of every route', () => {
    expect(routes.length).toBeGreaterThan(40);
    expect(failing(({ parameters = [] }) => parameters.every(({ example }) => example !== undefined))).toEqual([]);
    expect(failing((operation) => contentsOf(operation).every(({ example }) => example !== undefined))).toEqual([]);
  });

  it('says what every route answers: what it gives, and every refusal as problem+json', () => {
    const gives = ({ responses }: Operation) =>
      Object.entries(responses).some(([status, { content }]) => status === '204' || (status[0] === '2' && content));
    const problems = ({ responses }: Operation) =>
      Object.entries(responses)
        .filter(([status]) => status[0] === '4' || status[0] === '5')
        .map(([, { content }]) => Object.keys(content ?? {}));
    expect(failing(gives)).toEqual([]);
    expect(failing((operation) => problems(operation).length >= 3)).toEqual([]);
    expect(
      failing((operation) => problems(operation).every((types) => types.join() === 'application/problem+json')),
    ).toEqual([]);
    expect(failing(({ security, responses }) => !security || ('401' in responses && '403' in responses))).toEqual([]);
    expect(failing(({ summary }) => (summary ?? '').length > 5)).toEqual([]);
  });

  it('points nowhere outside of itself', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    const named = Object.keys((document as { components?: { schemas?: object } }).components?.schemas ?? {});
    expect(references.map(([, name]) => name).filter((name) => !named.includes(name ?? ''))).toEqual([]);
  });

  it('shows requests that the server takes for well formed', async () => {
    const wrong: unknown[] = [];
    for (const [route, { parameters = [], requestBody }] of routes) {
      const [method = '', template = ''] = route.split(' ');
      // Both would end the session that this test works with.
      if (route.startsWith('POST /v1/sign-out') || template.startsWith('/sign-in')) continue;
      const url = new URL(
        template.replace(/\{(\w+)\}/g, (_, name) => String(parameters.find((one) => one.name === name)?.example)),
        app.url,
      );
      for (const { name, in: place, example } of parameters)
        if (place === 'query') url.searchParams.set(name, String(example));
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const body = content?.example;
      const answer = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${app.adminToken}`,
          ...(parameters.some(({ in: place }) => place === 'header') ? { 'guildbook-agent': 'build-bot-7' } : {}),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body: type === 'application/json' ? JSON.stringify(body) : String(body) }),
      });
      const text = await answer.text();
      if (/request\.(invalid|malformed_json)/.test(text) || answer.status >= 500) wrong.push([route, body, text]);
    }
    expect(wrong).toEqual([]);
  });
});
