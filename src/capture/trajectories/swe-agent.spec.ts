import { describe, expect, it } from '@jest/globals';
import { sweAgentImporter } from './swe-agent.importer.js';

const RECORDED = { sessionHint: 'acme__shop-7', recordedAt: '2026-03-31T18:00:00.000Z' };
const step = (action: string, observation: string, more: object = {}) => ({
  action,
  observation,
  response: 'PRIVATE',
  thought: 'PRIVATE',
  state: '{"working_dir": "/testbed"}',
  ...more,
});
const HISTORY = [
  { role: 'system', content: 'PRIVATE' },
  { role: 'user', content: 'A demonstration', is_demo: true },
  { role: 'user', content: 'PRIVATE: close the books' },
];
const submitted = { exit_status: 'submitted', submission: 'PRIVATE' };
const derive = (document: object, context: object = RECORDED) =>
  sweAgentImporter.derive([JSON.stringify({ history: HISTORY, environment: 'main', ...document })], context);
const only = (document: object, context?: object) => {
  const { reports } = derive(document, context);
  expect(reports).toHaveLength(1);
  expect(JSON.stringify(reports)).not.toContain('PRIVATE');
  return { report: reports[0], calls: reports[0]?.toolCalls ?? [] };
};

describe('a run of SWE-agent', () => {
  it('is read from its text actions: commands of its interface, and command lines', () => {
    const { calls, report } = only({
      trajectory: [
        step('open "src/a.py" 12\n', '[File: src/a.py (20 lines total)]'),
        step('edit 3:3\nPRIVATE = 1\nend_of_edit', 'File updated.'),
        step('search_dir total src', 'No matches found'),
        step('str_replace_editor create /acme__shop/b.py --file_text PRIVATE', 'File created'),
        step('python a.py', 'Traceback\nValueError: bad month'),
        step('submit', 'PRIVATE diff'),
      ],
      info: submitted,
    });
    expect(calls.map(({ name, ok }) => [name, ok])).toEqual([
      ['open', true],
      ['edit', true],
      ['search_dir', true],
      ['str_replace_editor', true],
      ['bash', false],
    ]);
    expect(calls[0]?.arguments).toMatchObject([
      { key: 'path', value: 'src/a.py' },
      { key: 'line_number', type: 'number', value: '12' },
    ]);
    expect(calls[1]?.arguments).toMatchObject([{ key: 'text', type: 'text' }]);
    expect(report).toMatchObject({
      status: 'completed',
      turnCount: 6,
      environment: { repository: 'acme/shop', project: 'shop' },
    });
  });

  it('is read from the calls of its model, also after steps that the harness refused', () => {
    const template = (content: string) => [{ role: 'user', content }];
    const call = { function: { name: 'find_file', arguments: '{"file_name":"a.py"}' } };
    const { calls } = only({
      trajectory: [
        step('', '', { execution_time: 0 }),
        step('vim a.py', '', { execution_time: 0, query: template('Your output could not be parsed properly') }),
        step('echo "', '', {
          execution_time: 0,
          query: template("Operation 'vim a.py' is not supported by this environment."),
        }),
        step('find_file a.py', 'Found 1 match', {
          execution_time: 0.5,
          query: template('Your bash command contained syntax errors and was NOT executed. unexpected EOF'),
        }),
      ],
      history: [...HISTORY, { role: 'assistant', content: 'PRIVATE', action: 'find_file a.py', tool_calls: [call] }],
      info: { exit_status: 'exit_cost' },
    });
    expect(calls).toMatchObject([
      { action: 'vim a.py', ok: false, ran: false },
      { name: 'bash', ok: false },
      { name: 'find_file', ok: true, durationMs: 500, arguments: [{ key: 'file_name', value: 'a.py' }] },
    ]);
    expect(calls[1]).not.toHaveProperty('ran');
  });

  it('tells a failed edit and a cancelled command without their texts', () => {
    const { calls } = only({
      trajectory: [
        step(
          'edit x',
          'Your proposed edit has introduced new syntax error(s).\n\nERRORS:\n- E999 IndentationError: unexpected indent\n\nThis is how your edit would have looked if applied\nPRIVATE',
        ),
        step('edit x', "Your edit was not applied (file not modified): Text 'PRIVATE' not found in displayed lines."),
        step(
          'sleep 99',
          "The command 'sleep PRIVATE' was cancelled because it took more than 30 seconds. Try another.",
        ),
      ],
      info: submitted,
    });
    expect(calls.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(calls[0]?.errorMessage).toContain('IndentationError');
    expect(calls[2]?.errorMessage).toContain('30 seconds');
  });

  it.each([
    ['submitted (exit_cost)', { status: 'aborted', terminationReason: 'exit_cost' }],
    ['exit_context', { status: 'aborted', terminationReason: 'exit_context' }],
    ['exit_api', { status: 'failed', terminationReason: 'api_error:exit_api' }],
    ['exit_format', { status: 'failed', terminationReason: 'exit_format' }],
    ['early_exit', { status: 'aborted', terminationReason: 'interrupted' }],
    [null, { status: 'aborted', terminationReason: 'unfinished' }],
  ])('that ended with %s says so', (exit_status, expected) => {
    expect(only({ trajectory: [step('ls', 'a')], info: { exit_status } }).report).toMatchObject(expected);
  });

  it('of several attempts gives one execution each, and the verdict to the chosen one', () => {
    const attempt = (action: string) => ({ trajectory: [step(action, 'a')], history: HISTORY, info: submitted });
    const judgements = [{ name: 'report.json', isOfOne: true, text: '{"acme__shop-7":{"resolved":false}}' }];
    const document = {
      ...attempt('ls b'),
      attempts: [attempt('ls a'), attempt('ls b')],
      info: { ...submitted, best_attempt_idx: 1 },
    };
    // the name of the file, which an import knows, too
    const { reports } = derive(document, { ...RECORDED, judgements, taskIds: ['acme__shop-7'] });
    expect(reports.map(({ verification }) => verification.outcome)).toEqual(['none', 'failed']);
    expect(new Set(reports.map(({ sessionId }) => sessionId)).size).toBe(2);
    expect(new Set(reports.map(({ taskId }) => taskId)).size).toBe(1);
  });

  it('can be a demonstration, which has a history only', () => {
    const observed = 'Found 1 match\n(Open file: n/a)\n(Current directory: /acme__shop)\nbash-$';
    const history = [
      ...HISTORY,
      { role: 'assistant', content: 'PRIVATE', action: 'ls missing' },
      {
        role: 'user',
        content: 'ls: missing: No such file or directory\n(Open file: n/a)\n(Current directory: /a)\nbash-$',
      },
      { role: 'assistant', content: 'PRIVATE', action: 'find_file a.py' },
      { role: 'user', content: observed },
    ];
    const { reports } = sweAgentImporter.derive([JSON.stringify({ history })], RECORDED);
    expect(sweAgentImporter.recognises({ history })).toBe(true);
    expect(reports[0]?.toolCalls.map(({ ok }) => ok)).toEqual([false, true]);
  });

  it('without the time of its file has no time, and is left out with that reason', () => {
    const { reports, omitted } = derive({ trajectory: [step('ls', 'a')], info: submitted }, {});
    expect(reports).toEqual([]);
    expect(omitted).toEqual([{ reason: 'not a valid report: startedAt', count: 1 }]);
  });
});
