import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formOf, formsOf, type ObservedForm } from './call-form.js';
import { isInstance } from './call-instance.js';
import { readCallWords } from './call-role.js';

const lines = (...calls: string[]): ObservedForm[] =>
  calls.map((call, n) => ({ call: { tool: 'shell', call }, origin: `origin-${n}` }));
const form = (calls: readonly ObservedForm[]): string | undefined => formOf(calls)?.form.call;

describe('the form of successful calls', () => {
  it.each<[string, string[]]>([
    ['python3 <file>.py', ['python3 a.py', 'python3 src/b.py']],
    ['python3 scripts/<file>.py', ['python3 scripts/a.py', 'python3 scripts/b.py']],
    ['python3 <folder>/<file>.py', ['python3 scripts/a.py', 'python3 tools/b.py']],
    ['docker compose up -d <service>', ['docker compose up -d db', 'docker compose up -d queue']],
    ['docker-compose up -d <service>', ['docker-compose up -d db', 'docker-compose up -d queue']],
    ['docker build --network=host .', ['docker build --network=host .', 'docker build --network=host .']],
    ['docker build -t <image tag> .', ['docker build -t shop .', 'docker build -t till .']],
    ['NODE_ENV=test npm test', ['NODE_ENV=test npm test', 'NODE_ENV=test npm test']],
    [
      'git push --set-upstream origin <branch>',
      ['git push --set-upstream origin a', 'git push --set-upstream origin b'],
    ],
    ['pip install <package>', ['pip install yaml', 'pip install attrs']],
    ['pip install attrs==<version>', ['pip install attrs==1.0', 'pip install attrs==2.0']],
    ['pytest <file>.py::<test> -x', ['pytest a.py::test_a -x', 'pytest b.py::test_b -x']],
    ['git log -<number>', ['git log -5', 'git log -20']],
    ['make -j<number>', ['make -j4', 'make -j8']],
    ['deploy --region=<region>', ['deploy --region=eu', 'deploy --region=us']],
    ['cd <folder> && npm test', ['cd shop && npm test', 'cd till && npm test']],
    ['/usr/bin/python3 <file>.py', ['/usr/bin/python3 a.py', '/usr/bin/python3 b.py']],
    ['python -c "<code>"', ['python -c "import a"', 'python -c "import b"']],
  ])('is %s', (expected, calls) => {
    expect(form(lines(...calls))).toBe(expected);
  });

  it('of a call with arguments keeps their types and what an SQL statement does, and names texts by their argument', () => {
    const of = (...all: object[]) =>
      form(all.map((args, n) => ({ call: { tool: 'sql', call: JSON.stringify(args) }, origin: `origin-${n}` })));
    expect(of({ query: 'DESCRIBE fleet', limit: 10 }, { query: 'DESCRIBE staff', limit: 10 })).toBe(
      '{"query":"DESCRIBE <table>","limit":10}',
    );
    expect(of({ query: 'SELECT a FROM b' }, { query: 'SELECT c FROM d' })).toBe('{"query":"SELECT <query>"}');
    expect(of({ id: '<text>', verbose: true }, { id: '<text>', verbose: true })).toBe('{"id":"<id>","verbose":true}');
  });

  it('keeps apart what is run: build and all are two commands', () => {
    expect(formsOf(lines('make build', 'make all')).map(({ form }) => form.call)).toEqual(['make all', 'make build']);
  });

  it('keeps the values that tell remedies apart', () => {
    const calls = ['nvm use 18', 'nvm use 18', 'nvm use 20'].map((call, n) => ({
      call: { tool: 'shell', call },
      origin: `${n}`,
      kept: [call.slice(-2)],
    }));
    expect(formsOf(calls).map(({ form }) => form.call)).toEqual(['nvm use 18', 'nvm use 20']);
  });

  it('is that of the calls with the most origins, then of the shortest', () => {
    expect(form(lines('python3 a.py -v', 'python3 b.py', 'python3 c.py'))).toBe('python3 <file>.py');
    expect(form(lines('npm run build -- --watch', 'npm run build'))).toBe('npm run build');
  });

  it('leaves out the names of one project', () => {
    const one = (call: string): string | undefined =>
      form([
        { call: { tool: 'shell', call }, origin: 'a', project: 'shop' },
        { call: { tool: 'shell', call }, origin: 'b', project: 'shop' },
      ]);
    expect(one('python3 shop/billing.py')).toBe('python3 <folder>/<file>.py');
    expect(one('python3 billing.py')).toBe('python3 <file>.py');
    expect(one('cd billing && npm ci')).toBe('cd <folder> && npm ci');
    expect(one('git checkout ann-fix')).toBe('git checkout <branch>');
    expect(one('pip install -r requirements.txt')).toBe('pip install -r requirements.txt');
  });

  it('names the arguments of another tool by their keys', () => {
    const call = (args: object, origin: string): ObservedForm => ({
      call: { tool: 'search_flights', call: JSON.stringify(args) },
      origin,
    });
    expect(
      form([
        call({ departureCity: 'JFK', cabin: 'economy', date: '2024-05-01' }, 'a'),
        call({ departureCity: 'LAX', cabin: 'economy', date: '2024-06-01' }, 'b'),
      ]),
    ).toBe('{"departureCity":"<departure city>","cabin":"economy","date":"<date>"}');
  });

  it('has every call that it was made from as an instance, and no dangling flag', () => {
    const word = fc.constantFrom(
      'a.py',
      'src/b.py',
      '-x',
      '--tag',
      '--tag=v1',
      '5',
      '&&',
      'npm',
      'run',
      '"a b"',
      "'",
      '<folder>',
      '|',
      'X=1',
      'x==2',
      'a::b',
      '\\',
      '`',
      '>',
      '2>&1',
      '=',
    );
    const call = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(fc.tuple(call, fc.constantFrom('a', 'b', 'c')), { minLength: 1, maxLength: 8 }), (made) => {
        const calls = made.map(([text, origin]) => ({ call: { tool: 'shell', call: text }, origin }));
        for (const { form, members } of formsOf(calls)) {
          for (const at of members) expect(isInstance(form, calls[at]?.call ?? form)).toBe(true);
          const observed = calls[members[0] ?? 0]?.call.call ?? '';
          expect(readCallWords(form.call)).toHaveLength(readCallWords(observed).length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of the calls', () => {
    const calls = lines('python3 a.py', 'python3 b.py -v', 'python3 c.py', 'python3 d.py -v');
    fc.assert(
      fc.property(fc.shuffledSubarray(calls, { minLength: 4 }), (shuffled) => {
        expect(form(shuffled)).toBe(form(calls));
      }),
    );
  });
});
