import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../report/execution-report.schema.js';
import { observe, type Trial } from './observation.js';

const run = (action: string): ToolCall => ({ name: 'Bash', action, ok: true });
const fail = (action: string, errorMessage = 'Error: it is broken'): ToolCall => ({
  name: 'Bash',
  action,
  ok: false,
  errorMessage,
});

function trialsOf(toolCalls: ToolCall[], granularity = 'class'): Trial[] {
  const execution = { id: 'e', agentId: 'a', agentName: 'Ada', owner: 'o', rootExecutionKey: 'e', origin: 'o' };
  const report = { toolCalls, status: 'completed', verification: { outcome: 'none' } } as const;
  const { episodes } = observe({ ...execution, finishedAt: '2026-03-01T10:00:00Z', report });
  return episodes.find((episode) => episode.granularity === granularity)?.trials ?? [];
}

const tried = (failed: string, later: string, error?: string): Trial | undefined =>
  trialsOf([fail(failed, error), run(later)])[0];

describe('what a later command changed', () => {
  it.each([
    ['nvm use 20', 'nvm use 18', 'nvm use 18', 'operand', '20', '18'],
    ['psql -h db1 -c "select 1"', 'psql -h db2 -c "select 1"', 'psql -c -h=db2 [code]', '-h', 'db1', 'db2'],
    ['psql -h db1', 'psql -h db2', 'psql -h=db2', '-h', 'db1', 'db2'],
    [
      'docker build --network=none .',
      'docker build --network=host .',
      'docker build --network=host [dir]',
      '--network',
      'none',
      'host',
    ],
    [
      'docker build --network none .',
      'docker build --network host .',
      'docker build --network=host [dir]',
      '--network',
      'none',
      'host',
    ],
    ['git checkout master', 'git checkout main', 'git checkout main', 'operand', 'master', 'main'],
    [
      'pip install torch==1.9',
      'pip install torch==2.1',
      'pip install torch==2.1',
      'operand',
      'torch==1.9',
      'torch==2.1',
    ],
    ['make -j8 all', 'make -j1 all', 'make all -j=1', '-j', '8', '1'],
    [
      'npm install left-pad@9',
      'npm install left-pad@1',
      'npm install left-pad@1',
      'operand',
      'left-pad@9',
      'left-pad@1',
    ],
    [
      'python manage.py runserver',
      'python manage.py migrate',
      'python [file:.py] migrate',
      'operand',
      'runserver',
      'migrate',
    ],
    ['python a.py --year 2024', 'python a.py --year 2025', 'python [file:.py] --year=2025', '--year', '2024', '2025'],
  ])('a changed value: %s, then %s', (failed, later, fine, slot, from, to) => {
    expect(tried(failed, later)).toMatchObject({
      how: 'replace',
      worked: true,
      fine,
      change: [{ slot, kind: 'changed', from, to }],
    });
  });

  it.each([
    ['docker build .', 'docker build --network=host .', 'docker build --network=host [dir]', '--network', 'host'],
    ['docker build .', 'docker build --network host .', 'docker build --network=host [dir]', '--network', 'host'],
    ['pip install requests', 'pip install --user requests', 'pip install --user [word]', '--user', ''],
    ['npm ci', 'npm ci --workspace web', 'npm ci --workspace=web', '--workspace', 'web'],
    [
      'git push',
      'git push --set-upstream origin main',
      'git push --set-upstream=origin main',
      '--set-upstream',
      'origin',
    ],
    ['npm ci', 'sudo npm ci', 'sudo npm ci', 'sudo', 'sudo'],
    ['npm test', 'nvm use 18 && npm test', 'nvm use 18 && npm test', 'nvm', 'nvm use 18'],
    ['npx create-app', 'yes | npx create-app', 'yes | npx create-app', 'yes', 'yes |'],
  ])('an added value: %s, then %s', (failed, later, fine, slot, to) => {
    expect(tried(failed, later)).toMatchObject({
      how: 'replace',
      fine,
      change: [{ slot, kind: 'added', to }, ...rest(slot)],
    });
  });

  it('a variable that is set is part of the remedy, also behind env and by an export', () => {
    for (const later of ['NODE_ENV=test npm test', 'env NODE_ENV=test npm test', 'export NODE_ENV=test && npm test']) {
      const trial = tried('npm test', later);
      expect(trial).toMatchObject({
        how: 'replace',
        coarse: 'npm test',
        change: [{ slot: 'NODE_ENV', kind: 'added' }],
      });
      expect(trial?.fine).toBe(`npm test NODE_ENV=${trial?.change?.[0]?.to}`);
    }
  });

  it('what was left out is named', () => {
    expect(tried('docker build --network=none .', 'docker build .')?.change).toEqual([
      { slot: '--network', kind: 'removed', from: 'none' },
    ]);
    expect(tried('pip install numpy oldlib', 'pip install numpy')).toMatchObject({
      fine: 'pip install [word] without oldlib',
      change: [{ slot: 'operand', kind: 'removed', from: 'oldlib' }],
    });
    expect(tried('NODE_ENV=x npm test', 'npm test')?.fine).toBe('npm test without NODE_ENV');
  });

  it('equal changes in different calls have one key, and other values another', () => {
    const key = (project: string, version: string): string | undefined =>
      tried(`docker build -t ${project} --platform p1 .`, `docker build -t ${project} --platform p${version} .`)?.fine;
    expect(key('shop', '2')).toBe(key('billing', '2'));
    expect(key('shop', '2')).not.toBe(key('shop', '3'));
  });

  it.each([
    ['python3 a.py', 'python3 a.py'],
    ['python3 a.py', 'python3 b.py'],
    ['pytest tests', 'pytest testbed'],
    ['git push -u origin main', 'git push origin main -u'],
    ['./run.sh', './run.sh'],
    ['git commit -m "one"', 'git commit -m "another one"'],
  ])('the same words are a repeat, also about another file or text: %s, then %s', (failed, later) => {
    expect(tried(failed, later)?.how).toBe('repeat');
  });

  it('code in place of a file has no value that could be shown', () => {
    expect(tried('python3 a.py', 'python3 -c "print(1)"')?.fine).toBe('python3 -c [code]');
  });

  it('another kind of file is a change of its kind, never of its name', () => {
    expect(tried('sh deploy.sh conf/a.json', 'sh deploy.sh conf/a.yml')).toMatchObject({
      fine: expect.stringContaining('[file:.yml]'),
      change: [{ slot: 'operand', from: '[file:.json]', to: '[file:.yml]' }],
    });
  });

  it('python, python3 and the interpreter at a path are different forms with one purpose', () => {
    expect(tried('python a.py', 'python3 a.py')).toMatchObject({ how: 'replace', coarse: 'python3' });
    expect(tried('python3 a.py', '/usr/bin/python3 a.py')).toMatchObject({
      how: 'replace',
      coarse: expect.stringMatching(/\/python3$/),
    });
  });

  it('another target of make, and another variant of a script, are replacements', () => {
    expect(tried('make build', 'make all')).toMatchObject({
      how: 'replace',
      coarse: 'make all',
      change: [{ slot: 'subcommand', kind: 'changed', from: 'build', to: 'all' }],
    });
    expect(tried('npm run build', 'npm run build:web')).toMatchObject({ how: 'replace', coarse: 'npm run build:web' });
    expect(tried('npm run compile', 'npm run build', 'npm ERR! Missing script: "compile"')?.coarse).toBe(
      'npm run build',
    );
    expect(tried('make build', 'make clean')).toBeUndefined();
    expect(tried('npm run build', 'npm run lint')).toBeUndefined();
  });

  it('the changed value of a step before the program is the remedy of that step', () => {
    const error = 'nvm: version 20 is not installed';
    expect(tried('nvm use 20 && npm test', 'nvm use 18 && npm test', error)).toMatchObject({
      how: 'replace',
      coarse: 'nvm use',
      fine: 'nvm use 18',
    });
  });

  it('many differences are bounded, and so is the time for a hostile command', () => {
    const words = (seed: number): string => Array.from({ length: 900 }, (_, n) => `w${(n * seed) % 97}x${n}`).join(' ');
    const [trial] = trialsOf([fail(`tool a ${words(7)}`), run(`tool a ${words(11)}`)]);
    expect(trial?.change?.length).toBeLessThanOrEqual(5);
    expect(trial?.fine.length).toBeLessThanOrEqual(300);
  });

  it('a kind of error keeps no values', () => {
    const calls = [fail('nvm use 20', 'nvm: command not found'), run('nvm use 18')];
    expect(trialsOf(calls)).toMatchObject([{ how: 'replace', change: [{ to: '18' }] }]);
    const [broad, ...others] = trialsOf(calls, 'kind');
    expect([broad?.how, broad?.change, others]).toEqual(['repeat', undefined, []]);
  });
});

function rest(slot: string): object[] {
  return slot === '--set-upstream' ? [{ slot: 'operand', kind: 'added', to: 'main' }] : [];
}
