import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../report/execution-report.schema.js';
import { GRANULARITIES, type Granularity, observe, type Trial } from './observation.js';

const ok = (name: string, action: string): ToolCall => ({ name, action, ok: true });
const run = (action: string): ToolCall => ok('Bash', action);
const fail = (action: string, errorMessage = 'KeyError: region'): ToolCall => ({
  name: 'Bash',
  action,
  ok: false,
  errorMessage,
});
const edit = (file: string, tool = 'Edit'): ToolCall => ok(tool, JSON.stringify({ file_path: file }));

function trialsOf(toolCalls: ToolCall[], granularity: Granularity = 'class'): Trial[] {
  const execution = { id: 'e', agentId: 'a', agentName: 'Ada', owner: 'o', rootExecutionKey: 'e', origin: 'o' };
  const report = { toolCalls, status: 'completed', verification: { outcome: 'none' } } as const;
  const { episodes } = observe({ ...execution, finishedAt: '2026-03-01T10:00:00Z', report });
  return episodes.find((episode) => episode.granularity === granularity)?.trials ?? [];
}

describe('a step between a failure and the same action again', () => {
  it('is an edit, by the kind of file, never by its name', () => {
    const [trial] = trialsOf([fail('pytest t.py'), edit('src/secret_plan.py'), edit('b.py'), run('pytest t.py')]);
    expect(trial).toMatchObject({ how: 'prepare', coarse: 'edit [file:.py]', fine: 'edit [file:.py]', via: [1, 2] });
    expect(JSON.stringify(trial)).not.toContain('secret_plan');
  });

  it.each([
    [edit('setup.cfg', 'Write'), 'write [file:.cfg]'],
    [edit('a.tsx', 'MultiEdit'), 'edit [file:.tsx]'],
    [run("sed -i 's/a/b/' src/a.rb"), 'edit [file:.rb]'],
    [run("cat > conf.yml <<'E'\na: 1\nE"), 'write [file:.yml]'],
    [ok('apply_patch', '{"patch":"x"}'), 'edit [file]'],
  ])('may be made with any tool: %j', (step, coarse) => {
    expect(trialsOf([fail('npm test'), step, run('npm test')])).toMatchObject([{ how: 'prepare', coarse, via: [1] }]);
  });

  it('is a step at every granularity at which the repeat would count', () => {
    const calls = [fail('python a.py', "ModuleNotFoundError: No module named 'x'"), edit('a.py'), run('python a.py')];
    for (const granularity of GRANULARITIES)
      expect(trialsOf(calls, granularity)).toMatchObject([{ how: 'prepare', coarse: 'edit [file:.py]' }]);
  });

  it('that failed prepared nothing, and an edit before another command is not the remedy', () => {
    const failedEdit = { ...edit('a.py'), ok: false, errorMessage: 'String to replace not found in file.' };
    expect(trialsOf([fail('pytest t.py'), failedEdit, run('pytest t.py')])).toMatchObject([{ how: 'repeat' }]);
    expect(trialsOf([fail('python a.py'), edit('a.py'), run('python3 a.py')])).toMatchObject([{ how: 'replace' }]);
  });

  it('is not the writing of another script that is run instead', () => {
    const other = run("cat > b.py <<'E'\nprint(1)\nE");
    expect(trialsOf([fail('python a.py'), other, run('python b.py')])).toMatchObject([{ how: 'repeat' }]);
    expect(trialsOf([fail('python a.py'), run("cat > b.py <<'E'\nx\nE\npython b.py")])).toMatchObject([
      { how: 'repeat' },
    ]);
  });

  it('is an installation, between the calls or on the same line', () => {
    const missing = "ModuleNotFoundError: No module named 'PIL'";
    expect(trialsOf([fail('python3 a.py', missing), run('pip install Pillow'), run('python3 a.py')])).toMatchObject([
      { how: 'prepare', coarse: 'pip install', via: [1] },
    ]);
    const [trial] = trialsOf([fail('python3 a.py', missing), run('pip install Pillow && python3 a.py')]);
    expect(trial).toMatchObject({ how: 'prepare', coarse: 'pip install' });
    expect(trial?.via).toBeUndefined();
  });

  it('may stand on the same line', () => {
    expect(trialsOf([fail('npm test'), run('npm run build && npm test')])).toMatchObject([
      { how: 'prepare', coarse: 'npm run build' },
    ]);
    expect(trialsOf([fail('npm test'), run("sed -i 's/a/b/' a.ts && npm test")])).toMatchObject([
      { how: 'prepare', coarse: 'edit [file:.ts]' },
    ]);
    expect(trialsOf([fail('npm test'), run("cat > a.env <<'E'\nx\nE\nnpm test")])).toMatchObject([
      { how: 'prepare', coarse: 'write [file:.env]' },
    ]);
    expect(trialsOf([fail('npm test'), run('ls && npm test')])).toMatchObject([{ how: 'repeat' }]);
  });

  it('may be a call of another tool that acts, and is none that only looks', () => {
    const calls = (step: ToolCall): ToolCall[] => [fail('npm run migrate'), step, run('npm run migrate')];
    expect(trialsOf(calls(ok('mcp__db__start', '{}')))).toMatchObject([{ how: 'prepare', coarse: 'mcp__db__start' }]);
    expect(trialsOf(calls(ok('mcp__db__get_status', '{}')))).toMatchObject([{ how: 'repeat' }]);
    expect(trialsOf(calls(ok('TodoWrite', '{}')))).toMatchObject([{ how: 'repeat' }]);
  });

  it('keeps the steps that are compared over executions, besides the edit', () => {
    const calls = [fail('pytest t.py'), edit('a.py'), run('make seed'), run('pytest t.py')];
    expect(trialsOf(calls)).toMatchObject([{ how: 'prepare', coarse: 'edit [file:.py]', after: 'make seed' }]);
  });
});

describe('a call that did not run', () => {
  const cancelled = { ran: false, errorMessage: 'Error: it was cancelled with the others' };

  it('did not fail by itself', () => {
    const report = [{ ...fail('npm test'), ...cancelled }, run('npm test')];
    expect(trialsOf(report)).toEqual([]);
  });

  it('never worked, so that it is no remedy', () => {
    expect(trialsOf([fail('python a.py'), { ...run('python3 a.py'), ran: false }])).toEqual([]);
  });

  it('failed by itself if its arguments were refused', () => {
    const errorMessage = 'InputValidationError: limit must be a number';
    const call = {
      name: 'search_orders',
      action: '{"customer":"c-1","limit":"5"}',
      ok: false,
      errorMessage,
      ran: false,
    };
    const again = ok('search_orders', '{"customer":"c-1","limit":5}');
    expect(trialsOf([call, again])).toMatchObject([{ how: 'replace', fine: 'search_orders limit:number' }]);
  });
});
