import { describe, expect, it } from '@jest/globals';
import { ExecutionReport } from '../report/execution-report.schema.js';
import { claudeCodeImporter } from './claude-code.importer.js';

const SESSION = '0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a';
type Fields = Record<string, unknown>;

/** A transcript, built record by record, one second apart. */
class Transcript {
  readonly lines: string[] = [];
  private readonly base: Fields;

  constructor(base: Fields = {}) {
    this.base = { sessionId: SESSION, cwd: '/home/jo/code/shop-api', isSidechain: false, ...base };
  }

  raw(line: string): this {
    this.lines.push(line);
    return this;
  }

  record(fields: Fields): this {
    const at = this.lines.length;
    const [hour, minute, second] = [9 + Math.floor(at / 3600), Math.floor(at / 60) % 60, at % 60].map((part) =>
      String(part).padStart(2, '0'),
    );
    const timestamp = `2026-01-05T${hour}:${minute}:${second}.000Z`;
    return this.raw(JSON.stringify({ ...this.base, uuid: `u-${at}`, timestamp, ...fields }));
  }

  user(content: unknown, fields: Fields = {}): this {
    return this.record({ type: 'user', message: { role: 'user', content }, ...fields });
  }

  says(text: string, fields: Fields = {}): this {
    const message = {
      id: `m-${this.lines.length}`,
      model: 'claude-haiku-5-5',
      content: [{ type: 'text', text }],
      ...fields,
    };
    return this.record({ type: 'assistant', message });
  }

  uses(id: string, name: string, input: unknown, message = `m-${this.lines.length}`): this {
    const content = [{ type: 'tool_use', id, name, input }];
    return this.record({ type: 'assistant', message: { id: message, model: 'claude-haiku-5-5', content } });
  }

  result(id: string, content: unknown, failed?: boolean): this {
    const block = {
      type: 'tool_result',
      tool_use_id: id,
      content,
      ...(failed === undefined ? {} : { is_error: failed }),
    };
    return this.user([block]);
  }

  bash(id: string, command: string, failure?: string): this {
    return this.uses(id, 'Bash', { command, description: 'PRIVATE description' }).result(
      id,
      failure ?? 'PRIVATE output',
      failure !== undefined,
    );
  }

  derive(context = {}) {
    return claudeCodeImporter.derive(this.lines, context);
  }

  report(): ExecutionReport {
    const [report] = this.derive().reports;
    if (report === undefined) throw new Error('no report was derived');
    return report;
  }
}

const closing = () =>
  new Transcript()
    .user('PRIVATE task: close the books')
    .bash(
      't1',
      'python close.py',
      'Exit code 1\n  File "close.py", line 3\n    PRIVATE = f"{x}"\nSyntaxError: invalid syntax',
    )
    .bash('t2', 'cd /home/jo/code/shop-api && python3 close.py')
    .says('PRIVATE answer');

describe('the report of a Claude Code transcript', () => {
  it('is valid and has the calls in order, and a normal end is not a success', () => {
    const report = closing().report();
    expect(ExecutionReport.safeParse(report).success).toBe(true);
    expect(report).toMatchObject({
      sessionId: SESSION,
      taskTitle: 'Claude Code session',
      status: 'completed',
      terminationReason: 'ended',
      verification: { outcome: 'none' },
      model: 'claude-haiku-5-5',
      startedAt: '2026-01-05T09:00:00.000Z',
      finishedAt: '2026-01-05T09:00:05.000Z',
      turnCount: 3,
    });
    expect(report.toolCalls).toMatchObject([
      { name: 'Bash', action: 'python close.py', ok: false, errorCategory: 'SyntaxError', durationMs: 1000 },
      { name: 'Bash', action: 'cd [path]/shop-api && python3 close.py', ok: true },
    ]);
  });

  it('has no prompts, answers, descriptions, output of successful calls or home folders', () => {
    const text = JSON.stringify(
      new Transcript()
        .user('PRIVATE task')
        .uses('r1', 'Read', { file_path: '/home/jo/code/shop-api/src/a.ts' })
        .result('r1', [{ type: 'text', text: 'PRIVATE file' }])
        .uses('e1', 'Edit', { file_path: 'src/a.ts', old_string: 'PRIVATE', new_string: 'PRIVATE' })
        .result('e1', '<tool_use_error>String to replace not found in file.\nString: PRIVATE</tool_use_error>', true)
        .uses('w1', 'Write', { file_path: 'src/b.ts', content: 'PRIVATE' })
        .result('w1', 'ok')
        .uses('g1', 'Grep', { pattern: 'total', path: 'src' })
        .result('g1', 'PRIVATE match')
        .uses('f1', 'WebFetch', { url: 'https://PRIVATE.example.com', prompt: 'PRIVATE' })
        .result('f1', 'PRIVATE page')
        .uses('a1', 'Task', { description: 'PRIVATE', prompt: 'PRIVATE', subagent_type: 'Explore' })
        .result('a1', 'PRIVATE answer')
        .uses('x1', 'mcp__crm__lookup', { customer: 'PRIVATE', region: 'north' })
        .result('x1', 'PRIVATE customer')
        .bash('b1', 'git commit -m "PRIVATE message" && python3 -c "PRIVATE()"')
        .bash('b2', 'ls missing', "ls: cannot access '/home/jo/missing': No such file or directory")
        .says('PRIVATE answer')
        .derive(),
    );
    expect(text).not.toMatch(/PRIVATE|private|home\/jo/);
    expect(text).toContain('customer region');
    expect(text).toContain('"value":"north"');
    expect(text).toContain('src/b.ts');
  });

  it('is the same for the same lines, and a longer file gives a new execution of the session', () => {
    expect(closing().derive()).toEqual(closing().derive());
    const grown = closing().user('and now the next month').says('done').report();
    expect(grown.executionId).not.toBe(closing().report().executionId);
    expect(grown.sessionId).toBe(closing().report().sessionId);
    expect(grown.taskId).toBe(closing().report().taskId);
  });

  it('takes the person’s first prompt as the task, not texts that the program wrote in their name', () => {
    const plain = new Transcript().user('Close  the books').says('ok').report();
    const noisy = new Transcript()
      .user('Caveat: The messages below were generated by the user', { isMeta: true })
      .user('<command-name>/clear</command-name>')
      .user([{ type: 'text', text: 'close the books' }])
      .says('ok')
      .report();
    expect(noisy.taskId).toBe(plain.taskId);
    expect(plain.taskId).toMatch(/^task-[0-9a-f]{16}$/);
  });

  it('has as sources the hashes of the task, fetched pages and cloned repositories, for every spelling of a repository', () => {
    const sources = (command: string) =>
      new Transcript().user('x').bash('t', command).says('ok').report().sources ?? [];
    expect(sources('git clone https://key@git.example.com/a/B.git dir')).toEqual(
      sources('cd /srv && git clone --depth 1 git@git.example.com:a/b'),
    );
    expect(sources('git clone https://git.example.com/a/b')).toHaveLength(2);
    expect(sources('ls')).toHaveLength(1);
  });

  it('counts an exact repetition of a failed call as a retry, and no other call', () => {
    const report = new Transcript()
      .user('x')
      .bash('a', 'python -c "one"', 'Exit code 1')
      .bash('b', 'python -c "two"', 'Exit code 1')
      .bash('c', 'python -c "one"', 'Exit code 1')
      .bash('d', 'python -c "one"')
      .says('ok')
      .report();
    expect(report).toMatchObject({ retryCount: 2, maxRetries: 2 });
  });

  it('keeps the lines of an error, and no other output', () => {
    const long = `Exit code 1\nfirst line\n${'middle of the output\n'.repeat(400)}one\ntwo\nValueError: bad month`;
    const [call] = new Transcript().user('x').bash('t', 'python a.py', long).says('ok').report().toolCalls;
    expect(call?.errorMessage).toBe('Exit code 1\nValueError: bad month');
  });
});

it('an API error at the end is a failed execution of the requested model, without the text of the error', () => {
  const error = { id: 'e', model: '<synthetic>', content: 'PRIVATE' };
  const end = { type: 'assistant', isApiErrorMessage: true, apiErrorStatus: 529, apiErrorType: 'overloaded_error' };
  const report = closing()
    .record({ ...end, message: error })
    .report();
  expect(report).toMatchObject({
    status: 'failed',
    terminationReason: 'api_error:529:overloaded_error',
    errorCategory: 'http-529',
    model: 'claude-haiku-5-5',
  });
  expect(JSON.stringify(report)).not.toContain('PRIVATE answer');
});

describe('a malformed transcript', () => {
  it('has its broken, foreign and truncated lines counted, and they are never fatal', () => {
    const derived = closing()
      .raw('"a string"')
      .raw('42')
      .raw('[1]')
      .raw('{"type":"assistant","message":{"id":"m","content":[{"type":"tool_u')
      .raw('')
      .raw('{"type":"user","message":"error"}')
      .raw('{"type":"summary","summary":"PRIVATE"}')
      .raw('{"type":"user","timestamp":"yesterday","message":{"content":"x"}}')
      .record({ type: 'assistant', message: { id: 7, content: [null, 3, { type: 'tool_use', id: 5 }] } })
      .derive();
    expect(derived.counts).toEqual({ lines: 15 - 1, badLines: 4 });
    expect(derived.reports).toHaveLength(1);
  });

  it('has calls without a result and repeated calls omitted and counted', () => {
    const transcript = closing();
    transcript.lines.push(...transcript.lines.filter((line) => line.includes('python close.py')));
    const derived = transcript.uses('t9', 'Bash', { command: 'sleep 900' }).derive();
    expect(derived.reports[0]?.toolCalls).toHaveLength(2);
    expect(derived.omitted).toEqual([
      { reason: 'duplicate tool call', count: 1 },
      { reason: 'tool call without a result', count: 1 },
    ]);
  });

  it('without a turn gives no report, with the reason', () => {
    expect(new Transcript().user('hello').derive()).toMatchObject({
      reports: [],
      omitted: [{ reason: 'no turns', count: 1 }],
    });
    expect(claudeCodeImporter.derive(['{}', '']).omitted).toEqual([{ reason: 'no turns', count: 1 }]);
    expect(claudeCodeImporter.derive([]).reports).toEqual([]);
  });

  it('with hostile ids and names stays within the limits of a report', () => {
    const report = new Transcript({ sessionId: 's'.repeat(5_000), cwd: '/srv/<script>alert(1)</script>' })
      .user('x')
      .uses('t', 'N'.repeat(900), { ['k'.repeat(900)]: 'PRIVATE', 'a b\u202e': 1 })
      .result('t', 'x'.repeat(100_000), true)
      .says('ok')
      .report();
    expect(report.tags).toContain('project:a project');
    expect(report.toolCalls[0]?.action).toBe('[text]');
  });

  it('has calls beyond the limit of a report omitted and counted', () => {
    const transcript = new Transcript().user('x');
    for (let at = 0; at < 5_002; at += 1) transcript.bash(`t${at}`, 'ls');
    const derived = transcript.derive();
    expect(derived.reports[0]?.toolCalls).toHaveLength(5_000);
    expect(derived.omitted).toContainEqual({ reason: 'tool call beyond the limit of a report', count: 2 });
  });
});

describe('sub-agents', () => {
  const child = () =>
    new Transcript({ isSidechain: true, agentId: 'a327' }).user('look it up').bash('c1', 'ls').says('ok');

  it("have a separate execution and session, with a parent, for a sub-agent's file", () => {
    const [report] = child().derive({ parentExecutionId: closing().report().executionId }).reports;
    expect(report).toMatchObject({
      parentExecutionId: closing().report().executionId,
      sessionId: `${SESSION}:a327`,
      tags: ['claude-code', 'project:shop-api', 'sub-agent'],
    });
    expect(child().report().parentExecutionId).toBe(`claude-code:${SESSION}`);
  });

  it('inside the file of their session are separate executions', () => {
    const both = new Transcript();
    both.lines.push(...child().lines, ...closing().lines);
    const { reports } = both.derive();
    expect(reports.map((report) => report.toolCalls.length)).toEqual([2, 1]);
    expect(reports[1]?.parentExecutionId).toBe(reports[0]?.executionId);
  });
});
