import { describe, expect, it } from '@jest/globals';
import { miniSweAgentImporter } from './mini-swe-agent.importer.js';

const RECORDED = { sessionHint: 'acme__shop-7.traj', recordedAt: '2026-03-31T18:00:00.000Z' };
const system = { role: 'system', content: 'PRIVATE: end with echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT' };
const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more });
const says = (content: string) => ({ role: 'assistant', content });
const asks = (command: string) => says(`PRIVATE thought\n\n\`\`\`bash\n${command}\n\`\`\``);
const printed = (code: number, output: string) =>
  user(`<returncode>${code}</returncode>\n<output>\n${output}</output>`);
const derive = (document: unknown, context: object = RECORDED) =>
  miniSweAgentImporter.derive(JSON.stringify(document, null, 2).split('\n'), context);
const only = (document: unknown, context?: object) => {
  const { reports, omitted } = derive(document, context);
  expect(reports).toHaveLength(1);
  return { report: reports[0], calls: reports[0]?.toolCalls ?? [], omitted };
};
const done = asks('echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT');

describe('a run of mini-swe-agent', () => {
  it('of the oldest versions is a list of messages, with commands in the text', () => {
    const task = user('PRIVATE: close the books');
    const { report, calls, omitted } = only([
      system,
      task,
      asks('python a.py'),
      printed(1, 'NameError: x'),
      done,
      user('diff'),
    ]);
    expect(report).toMatchObject({ status: 'completed', turnCount: 2, environment: { harness: 'mini-swe-agent' } });
    expect(calls).toMatchObject([
      { name: 'bash', action: 'python a.py', ok: false, errorLine: 'NameError: x', ran: true },
    ]);
    expect(omitted).toEqual([]);
    expect(JSON.stringify(report)).not.toContain('PRIVATE');
  });

  it('names its version, its model and, for an instance of a benchmark, the repository', () => {
    const info = {
      exit_status: 'Submitted',
      submission: 'PRIVATE',
      mini_version: '1.14.0',
      config: { model: { model_name: 'm-1' } },
    };
    const document = {
      info,
      messages: [system, asks('ls'), printed(0, 'PRIVATE'), done],
      trajectory_format: 'mini-swe-agent-1',
    };
    const { report } = only(document);
    expect(report).toMatchObject({ model: 'm-1', sessionId: expect.stringMatching(/^acme__shop-7-[0-9a-f]{16}$/) });
    expect(report?.environment).toEqual({
      harness: 'mini-swe-agent',
      harnessVersion: '1.14.0',
      project: 'shop',
      repository: 'acme/shop',
    });
    expect(JSON.stringify(report)).not.toContain('PRIVATE');
  });

  it('is another session than another run of the same instance, and the same task', () => {
    const [one, two] = ['ls', 'ls -a'].map(
      (command) => only([system, user('x'), asks(command), printed(0, ''), done]).report,
    );
    expect(one?.sessionId).not.toBe(two?.sessionId);
    expect(one?.sources).toEqual(two?.sources);
  });

  it('has the verdict that a file beside it gives its instance', () => {
    const judgements = [
      { name: 'results.json', isOfOne: false, text: '{"resolved_ids":["acme__shop-7"],"unresolved_ids":[]}' },
    ];
    const { report } = only([system, asks('ls'), printed(0, ''), done], { ...RECORDED, judgements });
    expect(report?.verification).toEqual({ outcome: 'succeeded', source: 'test' });
  });

  it.each([
    ['LimitsExceeded', { status: 'aborted', terminationReason: 'LimitsExceeded' }],
    ['TimeExceeded', { status: 'aborted', terminationReason: 'TimeExceeded' }],
    ['RepeatedFormatError', { status: 'failed', terminationReason: 'RepeatedFormatError' }],
    ['RateLimitError', { status: 'failed', terminationReason: 'api_error:RateLimitError' }],
    ['CalledProcessError', { status: 'failed', errorCategory: 'CalledProcessError' }],
    ['', { status: 'aborted', terminationReason: 'unfinished' }],
  ])('that ended with "%s" says so', (exit_status, expected) => {
    const messages = [system, user('x'), asks('ls'), printed(0, '')];
    expect(only({ info: { exit_status }, messages, trajectory_format: 'mini-swe-agent-1.1' }).report).toMatchObject(
      expected,
    );
  });

  it('refused a reply with several actions, so that none of them ran', () => {
    const two = says('```bash\nls\n```\n```bash\npwd\n```');
    const refusal = user('Please always provide EXACTLY ONE action in triple backticks, found 2 actions.');
    const { calls } = only([system, user('x'), two, refusal, asks('ls'), printed(0, ''), done]);
    expect(calls.map(({ action, ok, ran, reply }) => [action, ok, ran, reply?.calls])).toEqual([
      ['ls', false, false, 2],
      ['pwd', false, false, 2],
      ['ls', true, true, 1],
    ]);
    const { omitted } = only([system, user('x'), says('no action'), refusal, asks('ls'), printed(0, ''), done]);
    expect(omitted).toEqual([
      { reason: 'reply without an action', count: 1 },
      { reason: 'reply that the harness refused', count: 1 },
    ]);
  });

  it('did not run what a person refused or what an interruption left', () => {
    const action = (id: string) => ({ command: `make ${id}`, tool_call_id: id });
    const reply = {
      role: 'assistant',
      content: null,
      extra: { actions: [action('a'), action('b')], timestamp: 1_775_000_000.5 },
    };
    const answer = (id: string, extra: object) => ({ role: 'tool', tool_call_id: id, content: '', extra });
    const notRun = { raw_output: '', returncode: -1, exception_info: 'action was not executed' };
    const messages = [
      system,
      user('x'),
      reply,
      answer('b', notRun),
      answer('a', { raw_output: 'ok', returncode: 0, timestamp: 1_775_000_002 }),
    ];
    const { calls, report } = only({ info: {}, messages, trajectory_format: 'mini-swe-agent-1.1' });
    expect(calls.map(({ ok, ran }) => [ok, ran])).toEqual([
      [true, true],
      [false, false],
    ]);
    // both were answered at one time
    expect(calls[0]).not.toHaveProperty('durationMs');
    expect(report?.startedAt).toBe('2026-03-31T23:33:20.500Z');
    const rejected = user('Command not executed. The user rejected your command with the following message: no');
    expect(only([system, user('x'), asks('rm a'), rejected, done]).calls).toMatchObject([{ ok: false, ran: false }]);
  });

  it('names a timeout without the command', () => {
    const old = user(
      'The last command <command>cat PRIVATE</command> timed out and has been killed.\nThe output was:\n <output>\nwaiting</output>',
    );
    const info = "An error occurred while executing the command: Command 'cat PRIVATE' timed out after 30 seconds";
    const now = { role: 'user', content: '', extra: { returncode: -1, exception_info: info, raw_output: '' } };
    for (const message of [old, now]) {
      const { calls } = only([system, user('x'), asks('tail -f log'), message, done]);
      expect(calls).toMatchObject([{ ok: false, errorMessage: expect.stringMatching(/timed out/i) }]);
      expect(JSON.stringify(calls)).not.toContain('PRIVATE');
    }
  });

  it('reads the exit code also of an output that was cut, and of the Responses API', () => {
    const cut = user(
      '<returncode>2</returncode>\n<warning>\nToo long\n</warning>\n<output_head>\na\n</output_head>\n<output_tail>\nValueError: bad month\n</output_tail>',
    );
    expect(only([system, user('x'), asks('make'), cut, done]).calls).toMatchObject([
      { ok: false, errorLine: 'ValueError: bad month' },
    ]);
    const response = { object: 'response', output: [], extra: { actions: [{ command: 'make', tool_call_id: 'c' }] } };
    const answer = {
      type: 'function_call_output',
      call_id: 'c',
      output: '<returncode>0</returncode>',
      extra: { returncode: 0, raw_output: '' },
    };
    const messages = [system, user('x'), response, answer];
    expect(only({ info: {}, messages, trajectory_format: 'mini-swe-agent-1.1' }).calls).toMatchObject([
      { action: 'make', ok: true },
    ]);
  });
});
