import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Guildbook } from '../../client/guildbook.js';
import { bridge } from './mcp-bridge.js';

const NEW = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const RESULT = { jsonrpc: '2.0', id: 1, result: { text: 'a\nb' } };

interface Asked {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
  readonly afterMs?: number;
}

let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
});

/** The requests that a server received, and the lines that the program wrote, for the given lines of input. */
async function bridged(
  lines: readonly string[],
  answer: (asked: Asked) => Answer,
): Promise<{ asked: Asked[]; written: unknown[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
    asked.push(one);
    const { status = 200, type = 'application/json', body, afterMs = 0 } = answer(one);
    await sleep(afterMs);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return { asked, written: await piped(`http://127.0.0.1:${port}`, lines) };
}

async function piped(server: string, lines: readonly string[]): Promise<unknown[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(lines.map((line) => `${line}\n`).join(''));
  await bridge(new Guildbook({ server, token: 'gba_spec' }), input, output);
  const text = String(output.read() ?? '');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

const line = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', ...fields });
const fine = (): Answer => ({ body: JSON.stringify(RESULT) });

describe('a message between stdio and HTTP', () => {
  it('repeats the method and the name of its body in its headers', async () => {
    const call = line({ id: 1, method: 'tools/call', params: { name: 'remember', _meta: NEW } });
    const read = line({ id: 1, method: 'resources/read', params: { uri: 'skill://ü\n', _meta: NEW } });
    const { asked } = await bridged([call, read], fine);
    const headers = asked.map((one) => one.headers);
    expect(headers).toEqual([
      expect.objectContaining({
        authorization: 'Bearer gba_spec',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'remember',
      }),
      expect.objectContaining({ 'mcp-name': `=?base64?${Buffer.from('skill://ü\n').toString('base64')}?=` }),
    ]);
    expect(asked.map(({ body }): unknown => JSON.parse(body))).toEqual([JSON.parse(call), JSON.parse(read)]);
  });

  it('carries the negotiated protocol version after the first message', async () => {
    const initialise = {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'spec', version: '1' } },
    };
    const { asked, written } = await bridged(
      [line(initialise), line({ method: 'notifications/initialized' }), line({ id: 1, method: 'tools/list' })],
      ({ body }) => {
        if (body.includes('"initialize"'))
          return { body: line({ id: 0, result: { protocolVersion: '2025-11-25' } }), afterMs: 50 };
        return body.includes('initialized') ? { status: 202, body: '' } : fine();
      },
    );
    const versions = asked.map(({ method, headers }) => [method, headers['mcp-protocol-version']]);
    // The program sends only the messages of its input.
    expect(versions).toEqual([
      ['POST', undefined],
      ['POST', '2025-11-25'],
      ['POST', '2025-11-25'],
    ]);
    expect(written).toHaveLength(2);
  });

  it('leaves out null, which clients send for no parameters and no arguments', async () => {
    const { asked } = await bridged(
      [
        line({ id: 1, method: 'tools/list', params: null }),
        line({ id: 1, method: 'tools/call', params: { name: 'list_skills', arguments: null } }),
      ],
      fine,
    );
    expect(asked.map(({ body }): unknown => JSON.parse(body))).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_skills' } },
    ]);
  });

  it('is refused when it is not JSON-RPC', async () => {
    const { asked, written } = await bridged(['', 'hello', '[]', '{"id":{}}'], fine);
    expect(asked).toEqual([]);
    expect(written).toEqual(
      [1, 2, 3].map(() => ({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_700, message: 'This is not a JSON-RPC message.' },
      })),
    );
  });

  it('is answered by one line for each message, for any content type of the response', async () => {
    const one = JSON.stringify(RESULT);
    expect((await bridged([JSON.stringify(CALL)], () => ({ body: `\n${one}\n` }))).written).toEqual([RESULT]);
    const note = line({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
    const stream = `event: message\ndata: ${note}\n\n: ping\n\ndata: ${one}\n\n`;
    const events = await bridged([JSON.stringify(CALL)], () => ({ type: 'text/event-stream', body: stream }));
    expect(events.written).toEqual([JSON.parse(note), RESULT]);
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'unsupported' } };
    const refused = await bridged([JSON.stringify(CALL)], () => ({ status: 400, body: JSON.stringify(error) }));
    expect(refused.written).toEqual([error]);
    const silent = await bridged([line({ method: 'notifications/cancelled' })], () => ({ status: 202, body: '' }));
    expect(silent.written).toEqual([]);
  });

  it('is answered by a protocol error when the server refuses it, except for a notification', async () => {
    const problem = { type: 't', title: 'x', status: 401, code: 'access.expired', detail: 'This token has expired.' };
    const errorOf = (message: unknown) => [{ jsonrpc: '2.0', id: 'a', error: { code: -32_000, message } }];
    const asking = line({ id: 'a', method: 'tools/list' });
    const refuse = () => ({ status: 401, type: 'application/problem+json', body: JSON.stringify(problem) });
    expect((await bridged([asking], refuse)).written).toEqual(errorOf('access.expired: This token has expired.'));
    const strange = await bridged([asking], () => ({ status: 502, type: 'text/html', body: '<html>' }));
    expect(strange.written).toEqual(errorOf('This is not a Guildbook server.'));
    expect((await bridged([line({ method: 'notifications/initialized' })], refuse)).written).toEqual([]);
    expect(await piped('http://127.0.0.1:9', [asking])).toEqual(errorOf('http://127.0.0.1:9 does not respond'));
  });

  it('is answered even if the input ends first', async () => {
    const { written } = await bridged([JSON.stringify(CALL)], () => ({ body: JSON.stringify(RESULT), afterMs: 100 }));
    expect(written).toEqual([RESULT]);
  });
});
