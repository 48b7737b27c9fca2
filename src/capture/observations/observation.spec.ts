import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ToolCall } from '../report/execution-report.schema.js';
import { episodeFingerprints, featureKey } from './fingerprint.js';
import { type Episode, observe, type StoredExecution } from './observation.js';

const SYNTAX = '  File "a.py", line 3\nSyntaxError: invalid syntax';
const NO_FILE = 'File does not exist.';

function ok(name: string, action: string): ToolCall {
  return { name, action, ok: true };
}
function bad(name: string, action: string, errorMessage: string, errorCategory?: string): ToolCall {
  return { name, action, ok: false, errorMessage, ...(errorCategory === undefined ? {} : { errorCategory }) };
}
const run = (command: string): ToolCall => ok('Bash', command);
const fail = (command: string, message = SYNTAX): ToolCall => bad('Bash', command, message);
const path = (file: string): string => JSON.stringify({ file_path: file });

function execution(toolCalls: ToolCall[], more: Partial<StoredExecution['report']> = {}): StoredExecution {
  return {
    id: 'execution-1',
    agentId: 'agent-1',
    agentName: 'Ada',
    owner: 'owner-1',
    rootExecutionKey: 'execution-1',
    origin: 'origin-1',
    finishedAt: '2026-03-01T10:00:00Z',
    report: { toolCalls, status: 'completed', verification: { outcome: 'none' }, ...more },
  };
}

function episodesOf(toolCalls: ToolCall[]): Episode[] {
  return observe(execution(toolCalls)).episodes;
}

/** The tries after the first failure, as short text. */
function trials(...toolCalls: ToolCall[]): string[] {
  return (episodesOf(toolCalls)[0]?.trials ?? []).map(({ at, worked }) => `${at} ${worked ? 'worked' : 'failed'}`);
}

describe('the failures of an execution, and what it tried after them', () => {
  it('are those that the learning core reads, up to the one that overcame it', () => {
    const calls = [fail('python a.py'), run('ls'), fail('python a.py'), run('python3 a.py'), run('python3 a.py')];
    expect(episodesOf(calls)).toMatchObject([{ coarse: 'python', errorClass: 'SyntaxError', failures: 2 }]);
    expect(trials(...calls)).toEqual(['2 failed', '3 worked']);
    expect(trials(fail('python a.py'), run('cargo build'))).toEqual([]);
  });

  it('name what is different about a try by keys, equal for equal changes', () => {
    const changeOf = (failed: string, later: string) => episodesOf([fail(failed), run(later)])[0]?.trials[0]?.features;
    const [python3, elsewhere, python2] = ['a', 'b', 'a'].map((name, at) =>
      changeOf(`python ${name}.py`, `${at < 2 ? 'python3' : 'python2'} ${name}.py`),
    );
    expect(python3).toContain(featureKey('+python3'));
    expect(elsewhere).toEqual(python3);
    expect(python2).not.toContain(featureKey('+python3'));
    expect(changeOf('python a.py', 'python a.py')).toEqual([]);
  });

  it('a success whose exit status is hidden behind a pipe proves nothing', () => {
    expect(trials(fail('python a.py'), run('python3 a.py | head -5'))).toEqual([]);
    expect(trials(fail('python a.py'), run('python3 a.py || true'))).toEqual([]);
  });

  it('failures of the network or of permissions are excluded and counted separately', () => {
    const observed = observe(execution([bad('WebFetch', '{"url":"[url]"}', 'HTTP 429 Too Many Requests'), run('ls')]));
    expect(observed.episodes).toEqual([]);
    expect(observed.excludedFailures).toEqual([{ cause: 'environment', calls: 1 }]);
  });

  it('a failure of the environment that a run overcame by doing something else is one to learn from', () => {
    const denied = bad('Bash', './run.sh', 'bash: ./run.sh: Permission denied');
    const overcome = observe(execution([denied, run('chmod +x run.sh'), run('./run.sh')]));
    expect([overcome.episodes.length > 0, overcome.excludedFailures]).toEqual([true, []]);
    const repeated = observe(execution([denied, run('./run.sh')]));
    expect(repeated).toMatchObject({ episodes: [], excludedFailures: [{ cause: 'permission', calls: 1 }] });
  });

  it('fifty tries in one execution count as three', () => {
    const calls = Array.from({ length: 50 }, () => [fail('python a.py'), fail('python3 a.py')]).flat();
    const python = episodesOf(calls).find(({ coarse }) => coarse === 'python');
    expect(python?.failures).toBe(50);
    expect(python?.trials.filter(({ features }) => features.length === 0).length).toBeLessThanOrEqual(3);
  });

  it('lists the actions that an execution used, including steps before the program', () => {
    const { used } = observe(execution([run('cd app && python3 a.py')]));
    expect(used).toEqual(expect.arrayContaining(['["shell","python3"]', '["shell","cd"]']));
  });

  it('names a failure by its class, and also by its template', () => {
    const { episodes } = observe(execution([fail('python -m pytest t.py', 'bin/python: No module named pytest')]));
    expect(episodes).toHaveLength(1);
    expect(new Set(episodes.flatMap((episode) => episodeFingerprints(episode, 'python'))).size).toBe(4);
  });

  it('limits the episodes of an execution, so that none can fill the evolver’s memory', () => {
    const calls = Array.from({ length: 3_000 }, (_, n) => fail(`tool${n} x`, `Error${n}Error: broken`));
    expect(observe(execution(calls)).episodes.length).toBeLessThanOrEqual(500);
  });

  it('keeps a bounded part of a generated list of statements', () => {
    const statement = (n: number): string => `SELECT name_${n} FROM table_${n} LIMIT ${n}`;
    const calls = Array.from({ length: 3_000 }, (_, n) =>
      n % 2 === 0 ? bad('run_sql', statement(n), `Error: Unknown column name_${n}`) : ok('run_sql', statement(n)),
    );
    const observed = observe(execution(calls));
    expect(JSON.stringify(observed).length).toBeLessThan(100_000);
    expect(observed.episodes).toHaveLength(80);
  });

  it('accepts any text in a report', () => {
    const call = fc.record({
      name: fc.constantFrom('Bash', 'Read', 'mcp__x__y', '__proto__'),
      action: fc.string({ unit: 'binary' }),
      ok: fc.boolean(),
      errorMessage: fc.string({ unit: 'binary' }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 20 }), (calls) => {
        const failed = calls.filter((one) => !one.ok).length;
        const observed = observe(execution(calls));
        const learnable = observed.episodes.reduce((n, e) => n + e.failures, 0);
        const excluded = observed.excludedFailures.reduce((n, e) => n + e.calls, 0);
        expect(learnable + excluded).toBe(failed);
      }),
    );
  });
});

describe('what a family needs of an execution', () => {
  it('the judged calls of each tool other than a shell', () => {
    const { toolResults } = observe(
      execution([ok('Read', path('a.py')), bad('Read', path('b.py'), NO_FILE), run('ls'), ok('stock', '{}')]),
    );
    expect(toolResults).toEqual([
      { tool: 'read', calls: 2, failed: 1 },
      { tool: 'stock', calls: 1, failed: 0 },
    ]);
  });

  it('the name of its project', () => {
    expect(observe(execution([], { tags: ['codex', 'project:shop'] })).projectName).toBe('shop');
    expect(observe(execution([], { tags: ['codex'] })).projectName).toBeUndefined();
    const tags = ['project:copy'];
    expect(observe(execution([], { tags, environment: { project: 'shop' } })).projectName).toBe('shop');
    const environment = { project: 'shop', repository: 'acme/shop' };
    expect(observe(execution([], { tags, environment })).projectName).toBe('acme/shop');
  });

  it('its decisive error line, if the text has no known class', () => {
    const call = { ...bad('stock', '{}', 'Level check'), errorLine: 'stock: level 3 is below the minimum' };
    const [episode] = observe(execution([call])).episodes;
    expect(episode?.template).toBe('stock: level [n] is below the minimum');
  });
});
