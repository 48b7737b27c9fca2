import { describe, expect, it } from '@jest/globals';
import { copilotImporter } from './copilot.importer.js';
import { geminiImporter } from './gemini.importer.js';
import { openCodeImporter } from './opencode.importer.js';

const AT = '2026-03-31T18:00:00.000Z';
const json = (records: readonly object[]) => records.map((record) => JSON.stringify(record));

describe('a session of Gemini CLI', () => {
  const header = { sessionId: 's-1', projectHash: 'p', startTime: AT, kind: 'main' };
  const user = { id: 'm-1', timestamp: AT, type: 'user', content: 'Close the books' };
  const reply = (calls: object[], id = 'm-2') => ({ id, timestamp: AT, type: 'gemini', content: '', toolCalls: calls });
  const call = (status: string, response: object, name = 'read_file', args: object = { file_path: 'a' }) => ({
    id: `${name}-${status}`,
    name,
    args,
    status,
    timestamp: AT,
    result: [{ functionResponse: { response } }],
  });

  it('is read from the one document of an older version', () => {
    const document = { ...header, messages: [user, reply([call('success', { output: 'x' })])] };
    const [report] = geminiImporter.derive(JSON.stringify(document, null, 2).split('\n')).reports;
    expect(report).toMatchObject({ sessionId: 's-1', toolCalls: [{ name: 'read_file', ok: true }] });
    expect(geminiImporter.derive([JSON.stringify(document)]).reports).toEqual([report]);
  });

  it('keeps the calls that a rewind or a shorter list of messages takes from the model', () => {
    const lines = json([
      header,
      user,
      reply([call('error', { error: 'File not found: a' })]),
      { $rewindTo: 'm-1' },
      { $set: { messages: [user] } },
    ]);
    const { reports, counts } = geminiImporter.derive(lines);
    expect(reports[0]?.toolCalls).toMatchObject([{ ok: false, errorCategory: 'file-not-found' }]);
    expect(counts.badLines).toBe(0);
  });

  it('continues nothing over a rewind: what comes after it is a new start', () => {
    const shell = (id: string, text: string, command: string) => ({
      ...call('success', { output: `Output: ${text}` }, 'run_shell_command', { command }),
      id,
    });
    const taken = reply([shell('a', 'Error: no books\nExit Code: 1', 'make close')]);
    const later = reply([shell('b', 'closed', 'make close'), shell('c', 'ok', 'make test')], 'm-4');
    const rewound = (...between: object[]) =>
      geminiImporter.derive(json([header, user, taken, ...between, { ...user, id: 'm-3' }, later, later])).reports[0];
    const marks = (report = rewound()) => report?.toolCalls.map(({ ok, afterHole }) => [ok, afterHole]);
    expect(marks()).toEqual([
      [false, undefined],
      [true, undefined],
      [true, undefined],
    ]);
    expect(rewound()?.retryCount).toBe(1);
    const cut = rewound({ $rewindTo: 'm-1' });
    expect(marks(cut)).toEqual([
      [false, undefined],
      [true, true],
      [true, undefined],
    ]);
    expect(cut?.retryCount).toBe(0);
  });

  it('says which call a person refused, and which one did not end', () => {
    const lines = json([header, user, reply([call('cancelled', { error: 'no' }), call('executing', {}, 'glob')])]);
    const { reports, omitted } = geminiImporter.derive(lines);
    expect(reports[0]?.toolCalls).toMatchObject([{ name: 'read_file', ok: false, ran: false }]);
    expect(omitted).toEqual([{ reason: 'tool call without a result', count: 1 }]);
  });

  it('has the skill that it loaded, and the task without the text of our hook', () => {
    const said = { ...user, content: [{ text: '<hook_context>a lesson</hook_context>\n\nClose the books' }] };
    const skill = call('success', { output: 'x' }, 'activate_skill', { name: 'close-the-books' });
    const { reports, skillUses } = geminiImporter.derive(json([header, said, reply([skill])]));
    expect(skillUses[0]?.uses).toMatchObject([{ skill: 'close-the-books', event: 'loaded' }]);
    expect(reports[0]?.taskId).toBe(geminiImporter.derive(json([header, user])).reports[0]?.taskId);
  });

  it('of a sub-agent is one with a parent', () => {
    const lines = json([{ ...header, kind: 'subagent' }, user]);
    expect(geminiImporter.derive(lines, { parentExecutionId: 'gemini:s-0' }).reports[0]).toMatchObject({
      taskTitle: 'Gemini CLI sub-agent',
      parentExecutionId: 'gemini:s-0',
    });
  });
});

describe('a session of OpenCode', () => {
  const message = (role: string, parts: object[], fields: object = {}) => ({
    info: {
      id: `m-${role}`,
      sessionID: 'ses_1',
      role,
      time: { created: 1_775_000_000_000 },
      path: { cwd: '/srv/shop' },
      ...fields,
    },
    parts,
  });
  const derive = (messages: object[], info?: object) =>
    openCodeImporter.derive([JSON.stringify({ info: info ?? null, messages })]);
  const tool = (state: object) => ({ type: 'tool', tool: 'bash', callID: 'c-1', state });

  it('is named by its messages if its document does not name it', () => {
    const [report] = derive([message('user', [{ type: 'text', text: 'Close the books' }])]).reports;
    expect(report).toMatchObject({ sessionId: 'ses_1', status: 'aborted', terminationReason: 'unfinished' });
  });

  it('keeps no text that a hook added to an output', () => {
    const metadata = { exit: 1, output: 'Error: no books\n' };
    const state = {
      status: 'completed',
      input: { command: 'make' },
      output: 'Error: no books\n\nError: a lesson',
      metadata,
    };
    const [report] = derive([message('assistant', [tool(state)], { finish: 'stop' })]).reports;
    expect(report).toMatchObject({ status: 'completed', toolCalls: [{ ok: false, errorLine: 'Error: no books' }] });
  });

  it('says which call a person refused', () => {
    const state = { status: 'error', input: {}, error: 'The user rejected permission to use this specific tool call.' };
    const [report] = derive([message('assistant', [tool(state)], { finish: 'tool-calls' })]).reports;
    expect(report?.toolCalls).toMatchObject([{ ok: false, ran: false }]);
  });

  it('of a sub-agent names the session that started it', () => {
    const info = { id: 'ses_2', parentID: 'ses_1', directory: '/srv/shop', version: '1' };
    const [report] = derive([message('user', [{ type: 'text', text: 'Read' }])], info).reports;
    expect(report).toMatchObject({ sessionId: 'ses_2', parentExecutionId: 'opencode:ses_1' });
  });
});

describe('a session of Copilot CLI', () => {
  const event = (type: string, data: object, n = 0) => ({ type, data, id: `e-${n}`, timestamp: AT, parentId: null });
  const start = event('session.start', {
    sessionId: 's-1',
    copilotVersion: '1.0.102',
    context: { cwd: '/srv/shop', repository: 'acme/shop' },
  });

  it('says which call was denied, and the place of each call in its reply', () => {
    const requests = ['a', 'b'].map((toolCallId) => ({ toolCallId, name: 'view' }));
    const lines = json([
      start,
      event('assistant.message', { messageId: 'r', toolRequests: requests }, 1),
      ...['a', 'b'].map((toolCallId) =>
        event('tool.execution_start', { toolCallId, toolName: 'view', arguments: '{"path":"x"}' }),
      ),
      event('tool.execution_complete', { toolCallId: 'a', success: false, error: { message: 'No.', code: 'denied' } }),
      event('tool.execution_complete', { toolCallId: 'b', success: true, result: { content: 'x' } }, 9),
    ]);
    const [report] = copilotImporter.derive(lines).reports;
    expect(report).toMatchObject({
      environment: { harness: 'copilot', harnessVersion: '1.0.102', project: 'shop', repository: 'acme/shop' },
      toolCalls: [
        { ok: false, ran: false, reply: { position: 1, calls: 2 } },
        { ok: true, action: '{"path":"x"}', reply: { position: 2, calls: 2 } },
      ],
    });
  });

  it('has the same id when only its hooks and its end were added', () => {
    const asked = [start, event('user.message', { content: 'Close the books' }, 1)];
    const ended = [...asked, event('hook.start', { hookType: 'sessionEnd' }, 2), event('session.shutdown', {}, 3)];
    expect(copilotImporter.derive(json(ended)).reports).toEqual(copilotImporter.derive(json(asked)).reports);
  });
});
