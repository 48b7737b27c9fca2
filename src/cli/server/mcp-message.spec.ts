import { describe, expect, it } from '@jest/globals';
import { answersOf, failure, headersOf, messageOf } from './mcp-message.js';

const NEW = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const message = (fields: object) => {
  const read = messageOf(JSON.stringify({ jsonrpc: '2.0', ...fields }));
  if (!read) throw new Error('no message');
  return read;
};
const answered = (status: number, type: string) => new Response(null, { status, headers: { 'content-type': type } });

describe('a message between stdio and HTTP', () => {
  it('says in its headers what its body says', () => {
    const call = message({ id: 1, method: 'tools/call', params: { name: 'remember', _meta: NEW } });
    expect(headersOf(call, undefined)).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'remember',
    });
    const read = message({ id: 2, method: 'resources/read', params: { uri: 'skill://ü\n', _meta: NEW } });
    expect(headersOf(read, undefined)['mcp-name']).toBe(`=?base64?${Buffer.from('skill://ü\n').toString('base64')}?=`);
  });

  it('carries the version that an older conversation agreed on, but for the first message', () => {
    expect(headersOf(message({ id: 0, method: 'initialize' }), '2025-11-25')).toEqual({});
    expect(headersOf(message({ id: 1, method: 'tools/list' }), '2025-11-25')).toEqual({
      'mcp-protocol-version': '2025-11-25',
    });
  });

  it('is no message when it is not JSON of the protocol', () => {
    for (const line of ['', 'hello', '[]', '{"id":{}}']) expect(messageOf(line)).toBeUndefined();
  });

  it('is answered by one line for each message, whatever the form of the answer', () => {
    const asked = message({ id: 1, method: 'tools/list' });
    const one = '{"jsonrpc":"2.0","id":1,"result":{"text":"a\\nb"}}';
    expect(answersOf(asked, answered(200, 'application/json'), `\n${one}\n`)).toEqual([one]);
    const stream = `event: message\ndata: ${one}\n\ndata: ${one}\n\n: ping\n\n`;
    expect(answersOf(asked, answered(200, 'text/event-stream'), stream)).toEqual([one, one]);
    expect(answersOf(asked, answered(202, ''), '')).toEqual([]);
  });

  it('turns a refusal of the server into an error of the protocol, and is silent to a notification', () => {
    const problem = { type: 't', title: 'x', status: 401, code: 'access.expired', detail: 'This token has expired.' };
    const asked = message({ id: 'a', method: 'tools/list' });
    expect(answersOf(asked, answered(401, 'application/problem+json'), JSON.stringify(problem))).toEqual([
      JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        error: { code: -32_000, message: 'access.expired: This token has expired.' },
      }),
    ]);
    expect(answersOf(asked, answered(502, 'text/html'), '<html>')[0]).toContain('this is not a Guildbook server');
    expect(failure(message({ method: 'notifications/initialized' }), 'away')).toEqual([]);
  });
});
