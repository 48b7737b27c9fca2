import { describe, expect, it } from '@jest/globals';
import { listsData, opensConnection } from './mcp.controller.js';

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
const message = (method: string) => ({ jsonrpc: '2.0', id: 1, method });

describe('a message to the MCP server', () => {
  it.each([
    call('list_skills'),
    call('recall_sessions'),
    call('read_session'),
    message('resources/list'),
    message('resources/read'),
    message('skills/list'),
    message('skills/get'),
    [message('ping'), call('list_skills')],
  ])('that lists, alone or among others, is known: %j', (body) => {
    expect(listsData(body)).toBe(true);
  });

  it.each([
    call('report_execution'),
    call('report_skill_use'),
    call('remember'),
    call('search_memory'),
    message('initialize'),
    message('tools/list'),
    { method: 'tools/call' },
    { method: 'tools/call', params: 'list_skills' },
    { method: ['resources/list'], params: null },
    { method: { toString: 1 } },
    [null, 1, 'resources/list'],
    [],
    null,
    undefined,
  ])('that reports, searches or is none lists nothing: %j', (body) => {
    expect(listsData(body)).toBe(false);
  });

  it('opens a connection with or without a handshake', () => {
    expect(
      [message('initialize'), message('server/discover'), [message('ping'), message('initialize')]].map(
        opensConnection,
      ),
    ).toEqual([true, true, true]);
    expect([message('ping'), [], null].map(opensConnection)).toEqual([false, false, false]);
  });
});
