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
    // Typed as expected here. The assertions below fail if the document has another form.
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

  it('has an example for every parameter, body and response of every route', () => {
    expect(routes.length).toBeGreaterThan(40);
    expect(failing(({ parameters = [] }) => parameters.every(({ example }) => example !== undefined))).toEqual([]);
    expect(failing((operation) => contentsOf(operation).every(({ example }) => example !== undefined))).toEqual([]);
  });

  it('documents every response of every route, and every error as problem+json', () => {
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

  it('has no external references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    const named = Object.keys((document as { components?: { schemas?: object } }).components?.schemas ?? {});
    expect(references.map(([, name]) => name).filter((name) => !named.includes(name ?? ''))).toEqual([]);
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
