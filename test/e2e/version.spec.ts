import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';

const ApiDocument = z.object({ info: z.object({ version: z.string() }) });
const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('../../package.json'));

describe('the version of the package', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('is the version of the API document', async () => {
    const document = ApiDocument.parse(await (await fetch(`${app.url}/v1/openapi.json`)).json());
    expect(document.info.version).toBe(version);
  });

  it('is the version of the MCP server', async () => {
    const { token } = await app.agent('Ada');
    const client = new Client({ name: 'spec', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    try {
      expect(client.getServerVersion()?.version).toBe(version);
    } finally {
      await client.close();
    }
  });

  it('is the version that the command line prints', async () => {
    const program = await CommandLine.create();
    expect((await program.run(['--version'])).stdout).toBe(`${version}\n`);
    await program.remove();
  });
});
