import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ToolCall } from '../report/execution-report.schema.js';
import { episodeFingerprint } from './fingerprint.js';
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

/** The episodes at the granularity `class`, with their trials as short text. */
function episodes(toolCalls: ToolCall[]): { what: string; failures: number; trials: string[] }[] {
  return observe(execution(toolCalls))
    .episodes.filter((episode) => episode.granularity === 'class')
    .map(({ coarse, errorClass, failures, trials }: Episode) => ({
      what: `${coarse}: ${errorClass}`,
      failures,
      trials: trials.map((trial) => `${trial.how} ${trial.coarse} ${trial.worked ? 'worked' : 'failed'}`),
    }));
}

function trials(...toolCalls: ToolCall[]): string[] {
  return episodes(toolCalls)[0]?.trials ?? ['no episode'];
}

describe('the failures and remedies of an execution', () => {
  it('the first successful later call with the same purpose and another action is the remedy', () => {
    expect(episodes([fail('python a.py'), run('ls'), run('python3 a.py')])).toEqual([
      { what: 'python: SyntaxError', failures: 1, trials: ['replace python3 worked'] },
    ]);
  });

  it('a call more than five calls later is not a remedy', () => {
    const other = Array.from({ length: 5 }, () => run('git status'));
    expect(trials(fail('python a.py'), ...other, run('python3 a.py'))).toEqual([]);
    expect(trials(fail('python a.py'), ...other.slice(1), run('python3 a.py'))).toEqual(['replace python3 worked']);
  });

  it('a call is not a remedy if the failure recurs within five calls', () => {
    const calls = [fail('python a.py'), run('python3 a.py'), run('git status'), fail('python b.py')];
    expect(trials(...calls)).toEqual(['replace python3 failed']);
  });

  it('one remedy counts once however many failures precede it, and repetitions in between count as repetitions', () => {
    expect(episodes([fail('python a.py'), fail('python a.py'), fail('python a.py'), run('python3 a.py')])).toEqual([
      {
        what: 'python: SyntaxError',
        failures: 3,
        trials: ['repeat python failed', 'repeat python failed', 'replace python3 worked'],
      },
    ]);
  });

  it('a success whose exit status is hidden behind a pipe proves nothing', () => {
    expect(trials(fail('python a.py'), run('python3 a.py | head -5'))).toEqual([]);
    expect(trials(fail('python a.py'), run('python3 a.py || true'))).toEqual([]);
  });

  it('a command whose first step failed is not a trial of its program', () => {
    const calls = [fail('python a.py'), fail('cd src && python3 a.py', 'bash: cd: src: No such file or directory')];
    expect(trials(...calls)).toEqual([]);
  });

  it('omitting the step that the error blames is a separate approach', () => {
    const broken = 'deploy: KeyError: region';
    const [first] = episodes([fail('deploy eu && pytest tests', broken), run('pytest tests')]);
    expect(first?.what).toMatch(/^deploy: /);
    expect(first?.trials).toEqual(['omit deploy worked']);
  });

  it.each([
    ['cd app && pytest tests', 'bash: cd: app: No such file or directory', 'pytest tests'],
    ['cd app && pytest tests', 'bash: cd: app: No such file or directory', 'cd ../app && pytest tests'],
    ['git -C app add -A', "fatal: cannot change to 'app': No such file or directory", 'git add -A'],
    ['python app/a.py', "python: can't open file 'app/a.py': [Errno 2] No such file or directory", 'python a.py'],
    ['ls app/src/a.py', 'ls: app/src/a.py: No such file or directory', 'ls src/a.py'],
    ['pip install -e app', 'ERROR: app is not a valid editable requirement.', 'pip install -e .'],
  ])(
    'the same goal from another folder or at another path is the remedy of a wrong path: %s',
    (failed, error, later) => {
      expect(trials(fail(failed, error), run('pwd'), run(later))).toEqual(['relocate shell worked']);
      expect(trials(fail(failed, error), fail(failed, error))).toEqual([expect.stringMatching(/^repeat .* failed$/)]);
    },
  );

  it('a search elsewhere after a missing path relocates, and a search at the same path repeats', () => {
    const grep = JSON.stringify({ pattern: '[text]' });
    const lost = (at: string): ToolCall => bad('Grep', grep, `Path does not exist: ${at}`);
    expect(trials(lost('app/src'), ok('Grep', grep))).toEqual(['relocate grep worked']);
    expect(trials(lost('app/src'), lost('app'))).toEqual(['relocate grep failed']);
    expect(trials(lost('app/src'), lost('app/src'))).toEqual(['repeat grep failed']);
  });

  it('a call that fails at a later stage says nothing about the failure before', () => {
    const lost = "python: can't open file 'app/a.py': [Errno 2] No such file or directory";
    expect(trials(fail('python app/a.py', lost), fail('python a.py', 'KeyError: 1'))).toEqual([]);
    expect(trials(fail('python a.py', 'KeyError: 1'), fail('python3 a.py', 'KeyError: 1'))).toEqual([
      'replace python3 failed',
    ]);
  });

  it('reading the same file name at another path is the remedy of a missing path', () => {
    const calls = [
      bad('Read', path('src/a/util.ts'), NO_FILE),
      ok('Glob', JSON.stringify({ pattern: '[text]' })),
      ok('Read', path('lib/util.ts')),
    ];
    expect(trials(...calls)).toEqual(['relocate read worked']);
  });

  it('reading another file is not a remedy', () => {
    expect(trials(bad('Read', path('src/util.ts'), NO_FILE), ok('Read', path('src/main.ts')))).toEqual([]);
  });

  it('reading the file before another edit differs from only repeating the edit', () => {
    const unread = 'File has not been read yet. Read it first before writing to it.';
    const edit = path('src/main.ts');
    expect(trials(bad('Edit', edit, unread), ok('Edit', edit))).toEqual(['repeat edit worked']);
    expect(trials(bad('Edit', edit, unread), ok('Read', edit), ok('Edit', edit))).toEqual(['prepare read worked']);
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
    const python = episodes(calls).find((episode) => episode.what === 'python: SyntaxError');
    expect(python?.failures).toBe(50);
    expect(python?.trials).toHaveLength(6);
  });

  it('lists the actions that an execution used, including steps before the program', () => {
    const { used } = observe(execution([run('cd app && python3 a.py')]));
    expect(used).toEqual(expect.arrayContaining(['["shell","python3"]', '["shell","cd"]']));
  });

  it('is judged only if something other than the agent reports how it ended', () => {
    const by = (source: 'test' | 'self', outcome: 'succeeded' | 'failed' = 'succeeded') =>
      observe(execution([], { verification: { outcome, source } })).judged;
    expect([by('test'), by('test', 'failed'), by('self')]).toEqual([true, true, undefined]);
    expect(observe(execution([])).judged).toBeUndefined();
  });

  it('observes one failure at every granularity that applies: kind of error, action and class, template', () => {
    const { episodes: all } = observe(execution([fail('python -m pytest t.py', 'bin/python: No module named pytest')]));
    expect(all.map(({ granularity, kind }) => [granularity, kind])).toEqual(
      ['kind', 'class', 'template'].map((granularity) => [granularity, 'missing-module']),
    );
    expect(new Set(all.map((episode) => episodeFingerprint(episode))).size).toBe(3);
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
    expect(observed.episodes.find(({ granularity }) => granularity === 'class')).toMatchObject({ failures: 1_500 });
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
        const learnable = observed.episodes
          .filter((e) => e.granularity === 'class')
          .reduce((n, e) => n + e.failures, 0);
        const excluded = observed.excludedFailures.reduce((n, e) => n + e.calls, 0);
        expect(learnable + excluded).toBe(failed);
      }),
    );
  });

  describe('with dangerous calls', () => {
    it('a remedy that turns a protection off or changes a source keeps the call that did', () => {
      const dangersAfter = (...calls: ToolCall[]) =>
        observe(execution([fail('git push', 'fatal: certificate'), ...calls])).episodes[0]?.trials[0]?.dangers;
      expect(dangersAfter(run('git -c http.sslVerify=false push'))).toEqual([
        {
          class: 'protection',
          program: 'git',
          form: '-c http.sslVerify=false',
          call: 'git -c http.sslVerify=false push',
        },
      ]);
      expect(dangersAfter(run('git remote set-url origin x'), run('git push'))).toMatchObject([
        { class: 'source', call: 'git remote set-url origin x' },
      ]);
      expect(dangersAfter(run('git push'))).toBeUndefined();
    });

    it('the arguments of other tools count, too', () => {
      const load = (input: object): string => JSON.stringify({ path: 'a.txt', ...input });
      const calls = [bad('load', load({}), 'certificate'), ok('load', load({ verify: false }))];
      expect(observe(execution(calls)).episodes[0]?.trials[0]?.dangers).toMatchObject([
        { class: 'protection', program: 'load', form: '"verify": false' },
      ]);
    });
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
    const [episode] = observe(execution([call])).episodes.filter(({ granularity }) => granularity === 'template');
    expect(episode?.template).toBe('stock: level [n] is below the minimum');
  });
});
