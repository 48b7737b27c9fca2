import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { startTestApplication, type TestApplication } from '../support/application.js';

/** Files of a program in memory, beside this spec, so that they find the packages. */
const API = join(process.cwd(), 'test/e2e/generated-api.d.ts');
const USE = join(process.cwd(), 'test/e2e/generated-api-use.ts');

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  skipLibCheck: true,
};

/** Code of a reviewer and of an agent on the generated client, with the names of operations and schemas. */
const USES = `
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './generated-api.js';

const client = createClient<paths>({ baseUrl: 'http://localhost:7330' });

export async function approveFirst(): Promise<string> {
  const { data, error } = await client.GET('/v1/proposals', { params: { query: { state: 'pending', limit: 1 } } });
  if (error) return error.code;
  const first = data.items[0];
  if (first === undefined) return 'nothing is pending';
  const decided = await client.POST('/v1/proposals/{id}/approve', {
    params: { path: { id: first.id }, header: { 'if-match': '"1"' } },
    body: { artifactSha256: first.artifactSha256 },
  });
  if (decided.data) return decided.data.state;
  const code: string = decided.error.code;
  return code;
}

export async function recallAndReport(): Promise<number> {
  const { data } = await client.POST('/v1/recall', { body: { query: 'run a python script' } });
  await client.POST('/v1/skills/{name}/uses', {
    params: { path: { name: 'use-python3' } },
    body: { executionId: 'run-1', event: 'loaded', at: '2026-11-21T10:00:00Z' },
  });
  return data?.memories.length ?? 0;
}

export type Refusal = operations['approveProposal']['responses'][409]['content']['application/problem+json'];
export const isOutdated = ({ code }: Refusal): boolean => code === 'proposal.artifact_changed';

export type Problem = components['schemas']['Problem'];
export type Message = operations['sendMcpMessage']['requestBody']['content']['application/json'];
export const LIST_TOOLS: Message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
`;

/** Lines that must not compile, each for its own reason. */
const MISUSES = {
  'a path that no route has': "client.GET('/v1/approvals');",
  'a body without a required field':
    "client.POST('/v1/proposals/{id}/approve', { params: { path: { id: 'x' } }, body: {} });",
  'a path parameter that is missing': "client.GET('/v1/proposals/{id}');",
  'a state that no proposal has': "client.GET('/v1/proposals', { params: { query: { state: 'lost' } } });",
  'an operation that does not exist': "export type Lost = operations['approveEverything'];",
  'a code that the route never gives':
    "export const isLost = ({ code }: Refusal): boolean => code === 'proposal.lost';",
};

type Document = Parameters<typeof openapiTS>[0] & { paths: Record<string, Record<string, { operationId: string }>> };

async function generate(document: object): Promise<string> {
  // A copy, because the generator changes its input. A field with a default is optional, as the server accepts it.
  return astToString(
    await openapiTS(structuredClone(document) as Document, { silent: true, defaultNonNullable: false }),
  );
}

/** Compiles a use of the client and returns the errors, each with its line. Library files are parsed once. */
function compilerOf(api: string): (use: string) => string[] {
  const files = new Map([[API, api]]);
  const parsed = new Map<string, ts.SourceFile | undefined>();
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    if (file === USE) return ts.createSourceFile(file, files.get(file) ?? '', version, true);
    const text = files.get(file);
    if (!parsed.has(file))
      parsed.set(
        file,
        text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version, true),
      );
    return parsed.get(file);
  };
  let program: ts.Program | undefined;
  return (use) => {
    files.set(USE, use);
    program = ts.createProgram([USE], OPTIONS, host, program);
    return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1;
      return `${file?.fileName.split('/').at(-1)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  };
}

describe('a client that is generated from the API document', () => {
  let app: TestApplication;
  let document: Document;
  let errorsOf: (use: string) => string[];

  beforeAll(async () => {
    app = await startTestApplication();
    // The generator refuses below what is no OpenAPI document.
    document = (await (await fetch(`${app.url}/v1/openapi.json`)).json()) as Document;
    errorsOf = compilerOf(await generate(document));
  }, 120_000);
  afterAll(() => app.close());

  it('compiles, with the code of a reviewer and of an agent', () => {
    expect(errorsOf(USES)).toEqual([]);
  });

  it.each(Object.entries(MISUSES))('refuses %s', (_reason, line) => {
    const wrong = `${USES}\n${line}`;
    const errors = errorsOf(wrong);
    expect(errors.length).toBeGreaterThan(0);
    const lines = errors.map((error) => Number(error.split(':')[1]));
    expect(lines.every((at) => at === wrong.split('\n').length)).toBe(true);
  });

  it('has a type for every operation', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    const names = ids.map((id) => `'${id}'`).join(' | ');
    const all = `${USES}
export const known: ${names} = '' as unknown as keyof operations;
export const typed: keyof operations = '' as unknown as ${names};`;
    expect(errorsOf(all)).toEqual([]);
  });

  it('cannot be generated from a document with a broken reference', async () => {
    const broken = JSON.parse(JSON.stringify(document).replace('schemas/Problem"', 'schemas/Lost"'));
    // The generator prints what it refuses.
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await expect(generate(broken)).rejects.toThrow(/Can't resolve \$ref/);
    printed.mockRestore();
  });

  it('does not compile when an operation has lost its id or a schema its field', async () => {
    const renamed = JSON.stringify(document).replace('"operationId":"approveProposal"', '"operationId":"approve"');
    expect(compilerOf(await generate(JSON.parse(renamed)))(USES)).not.toEqual([]);
    const withoutField = JSON.stringify(document).replaceAll('"artifactSha256":', '"artifact":');
    expect(compilerOf(await generate(JSON.parse(withoutField)))(USES)).not.toEqual([]);
  });
});
