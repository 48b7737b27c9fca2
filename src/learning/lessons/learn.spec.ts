import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callOf } from '../calls/call.js';
import { patternLine } from '../patterns/matching.js';
import { casesOf } from '../recoveries/case.js';
import { FOREIGN_SOURCE, type RefusedRemedy, SKIPS_CHECK } from '../recoveries/refused-remedy.js';
import { appliesTo, bindingsOf } from './claim.js';
import { type LearnedLesson, learn } from './learn.js';
import type { LearnedCase } from './learned-case.js';

/** A command, with an error if it failed; `{ edit }` changes a file. */
type Done = string | readonly [string, string] | { readonly edit: string };

const callsOf = (done: readonly Done[]) =>
  done.map((one, at) => {
    if (typeof one === 'object' && 'edit' in one)
      return callOf({ tool: 'Edit', action: JSON.stringify({ file_path: one.edit }), ok: true }, at);
    const [action, errorLine] = typeof one === 'string' ? [one] : one;
    return callOf({ tool: 'Bash', action, ok: errorLine === undefined, errorLine, errorText: errorLine }, at);
  });

let runs = 0;
/** The failures of a run, of another agent on another task than those of all other runs. */
function ran(...done: Done[]): LearnedCase[] {
  runs += 1;
  const finishedAt = new Date(Date.UTC(2026, 0, runs)).toISOString();
  const of = { run: `run-${runs}`, agent: `agent-${runs}`, origin: `task-${runs}`, finishedAt };
  return casesOf(callsOf(done)).map((one) => ({ ...of, one }));
}

const failure = (action: string, error: string) => {
  const [call] = callsOf([[action, error]]);
  if (call === undefined) throw new Error('no call');
  return call;
};

const NO = "ModuleNotFoundError: No module named '";
const missing = (script: string, module: string, packaged: string): LearnedCase[] =>
  ran([`python ${script}`, `${NO}${module}'`], `pip install ${packaged}`, `python ${script}`);

const INTERPRETER = ['a.py', 'b.py', 'c.py'].flatMap((file) =>
  ran([`python ${file}`, 'bash: python: command not found'], `python3 ${file}`),
);
const MODULES = [
  ...['a.py', 'b.py', 'c.py'].flatMap((script) => missing(script, 'yaml', 'pyyaml')),
  ...['d.py', 'e.py', 'f.py'].flatMap((script) => missing(script, 'cv2', 'opencv-python')),
];
const PUSHES = ['main', 'next', 'dev'].flatMap((branch) =>
  ran(
    [`git push origin ${branch}`, 'remote: error: push changes to refs/for for review'],
    `git push origin HEAD:refs/for/${branch}`,
  ),
);
const SAMPLES = { INTERPRETER, MODULES, PUSHES, all: [...INTERPRETER, ...MODULES, ...PUSHES] };

const remedies = (lessons: readonly LearnedLesson[]): string[] =>
  lessons.map(({ claim: { conditions } }) => patternLine(conditions[0]?.step ?? conditions[0]?.remedy ?? [])).sort();

describe('what runs recovered by', () => {
  it('is a lesson with the failing call, the error and the remedy', () => {
    const [lesson, ...others] = learn(INTERPRETER);
    expect(others).toEqual([]);
    expect(lesson?.claim).toMatchObject({ follow: expect.arrayContaining(['+python3', '-python']) });
    const [condition] = lesson?.claim.conditions ?? [];
    expect(patternLine(condition?.call ?? [])).toBe('python <py file>');
    expect(patternLine(condition?.remedy ?? [])).toBe('python3 <py file>');
    expect(lesson?.supports).toHaveLength(3);
  });

  it('puts a value of the failed call into the remedy', () => {
    expect(remedies(learn(PUSHES))).toEqual(['git push origin HEAD:refs/for/<name>']);
  });

  it.each(Object.entries(SAMPLES))('is a lesson that applies to each of its recoveries: %s', (_name, cases) => {
    const lessons = learn(cases);
    expect(lessons.length).toBeGreaterThan(0);
    for (const { claim, supports } of lessons)
      for (const { of } of supports) expect(appliesTo(claim, of.one.failed)).toBe(true);
  });

  it('does not depend on the order of the cases', () => {
    const lessons = learn(SAMPLES.all);
    fc.assert(
      fc.property(fc.shuffledSubarray(SAMPLES.all, { minLength: SAMPLES.all.length }), (cases) => {
        expect(learn(cases)).toEqual(lessons);
      }),
      { numRuns: 30 },
    );
  });

  it('is a preparing call of the same program, if the failed call itself works after it', () => {
    const prepared = ['shop', 'desk', 'till'].flatMap((folder) =>
      ran(
        ['make verify', `verify: build/fixtures-${folder}.db: no such file`],
        `ls ${folder}`,
        'make --version',
        'make fixtures',
        'make verify',
      ),
    );
    const [lesson, ...others] = learn(prepared);
    expect(others).toEqual([]);
    expect(patternLine(lesson?.claim.conditions[0]?.step ?? [])).toBe('make fixtures');
    expect(patternLine(lesson?.claim.conditions[0]?.remedy ?? [])).toBe('make verify');
  });

  it('is never what a program says of itself, however many runs asked', () => {
    const asked = ['a.py', 'b.py', 'c.py'].flatMap((file) =>
      ran([`python ${file}`, 'bash: python: command not found'], 'python3 --version', `python3 ${file}`),
    );
    expect(learn(asked).map(({ claim }) => patternLine(claim.conditions[0]?.step ?? []))).toEqual(['']);
    expect(remedies(learn(asked))).toEqual(['python3 <py file>']);
  });

  it('is needed of two runs, tasks and agents', () => {
    const [one, two] = INTERPRETER;
    if (one === undefined || two === undefined) throw new Error('no cases');
    expect(learn([one, two])).toHaveLength(1);
    expect(learn([one])).toEqual([]);
    expect(learn([one, { ...two, run: one.run }])).toEqual([]);
    expect(learn([one, { ...two, agent: one.agent }])).toEqual([]);
    expect(learn([one, { ...two, origin: one.origin }])).toEqual([]);
  });

  it('is nothing that stopped working while something else has worked since', () => {
    const [call, error] = ['relctl publish', 'relctl: error: no channel is open'];
    const stable = `${call} --channel=stable`;
    const before = Array.from({ length: 4 }, () => ran([call, error], stable)).flat();
    const since = Array.from({ length: 4 }, () => ran([call, error], [stable, error], `${call} --channel=next`)).flat();
    expect(remedies(learn(before))).toEqual([stable]);
    expect(remedies(learn([...before, ...since])).every((one) => one.endsWith('--channel=next'))).toBe(true);
    const still = ran([call, error], stable);
    expect(remedies(learn([...before, ...since, ...still]))).toContain(stable);
  });

  it('asks a database another question first, and never the same one with other names', () => {
    const sql = (statement: string, errorLine?: string) => (at: number) =>
      callOf({ tool: 'run_sql', action: statement, ok: errorLine === undefined, errorLine, errorText: errorLine }, at);
    const asked = (table: string, wrong: string, right: string, first: string, at: number): LearnedCase[] =>
      casesOf(
        [
          sql(`SELECT ${wrong} FROM ${table}`, `column ${wrong} does not exist`),
          sql(first),
          sql(`SELECT ${right} FROM ${table}`),
        ].map((one, place) => one(place)),
      ).map((one) => ({ one, run: `${at}`, agent: `${at}`, origin: `${at}`, finishedAt: '2026-01-01T00:00:00Z' }));
    const columns = (first: (table: string) => string): string[] =>
      remedies(
        learn(
          ['carts', 'users', 'badges', 'seats'].flatMap((table, at) =>
            asked(table, `full_${table}`, `${table}_size`, first(table), at),
          ),
        ),
      );
    const schema = columns(
      (table) => `SELECT column_name FROM information_schema.columns WHERE table_name = '${table}'`,
    );
    expect(schema).toEqual(['run_sql select column_name from information_schema columns where table_name [text]']);
    expect(columns((table) => `SELECT size FROM other_${table}`)).toEqual([]);
  });

  it('is one change of many words, beside those of single words that do better', () => {
    const plural = (table: string, n: number, more: string[] = []) =>
      Array.from({ length: n }, (_, at) => {
        const sql = (name: string, errorLine?: string) => (place: number) =>
          callOf(
            {
              tool: 'run_sql',
              action: `SELECT ${['id', 'age', 'city'][at % 3]} FROM ${name}`,
              ok: errorLine === undefined,
              errorLine,
              errorText: errorLine,
            },
            place,
          );
        const wrong = `${table}s`;
        const calls = [
          sql(wrong, `Table shop.${wrong} does not exist`),
          ...more.map((name) => sql(name, `Table shop.${name} does not exist`)),
          sql(table),
        ];
        return casesOf(calls.map((one, place) => one(place))).map((one) => {
          const id = `${table}-${at}`;
          return { one, run: id, agent: id, origin: id, finishedAt: '2026-01-01T00:00:00Z' };
        });
      }).flat();
    const words = learn([...plural('seat', 3), ...plural('badge', 1), ...plural('ticket', 1)]).map(({ claim }) =>
      [claim.conditions[0]?.call ?? [], claim.conditions[0]?.remedy ?? []].map(patternLine),
    );
    expect(words).toContainEqual(['run_sql select <name> from <name2>s', 'run_sql select <name> from <name2>']);
  });

  it('takes place after another tool of the same server, if several runs made that call', () => {
    const call = (tool: string, input: object, errorLine?: string) => (at: number) =>
      callOf({ tool, action: JSON.stringify(input), ok: errorLine === undefined, errorLine, errorText: errorLine }, at);
    const moved = (between: string, at: number): LearnedCase[] =>
      casesOf(
        [
          call('mcp__board__move', { list: `todo-${at}` }, 'invalid value for list'),
          call(between, { of: 'all' }),
          call('mcp__board__move', { list: `5e${at}` }),
        ].map((one, place) => one(place)),
      ).map((one) => ({ one, run: `${at}`, agent: `${at}`, origin: `${at}`, finishedAt: '2026-01-01T00:00:00Z' }));
    const learned = (between: string) => remedies(learn([0, 1, 2].flatMap((at) => moved(between, at))));
    expect(learned('mcp__board__show_columns')).toEqual(['mcp__board__show_columns of=all']);
    expect(learned('mcp__mail__search')).toEqual([]);
  });

  it('reads the same file first, also if runs read different parts of it', () => {
    const edit = (at: number, errorLine?: string) => {
      const action = JSON.stringify({ file_path: `src/${at}.ts`, new_string: 'a b c' });
      return { tool: 'Edit', action, ok: errorLine === undefined, errorLine, errorText: errorLine };
    };
    const read = (at: number, part: object) => {
      return { tool: 'Read', action: JSON.stringify({ file_path: `src/${at}.ts`, ...part }), ok: true };
    };
    const cases = [{}, { limit: 20 }, { limit: 30, offset: 90 }].flatMap((part, at) =>
      casesOf([edit(at, 'File has not been read yet'), read(at, part), edit(at)].map(callOf)).map((one) => {
        return { one, run: `${at}`, agent: `${at}`, origin: `${at}`, finishedAt: '2026-01-01T00:00:00Z' };
      }),
    );
    expect(remedies(learn(cases))).toEqual(['Read file_path=<file path> <more>']);
  });

  it('does not only ask what there is, if the runs then put something in its place', () => {
    const cases = ['shop', 'desk', 'farm'].flatMap((name) =>
      ran([`npm run unit-${name}`, `npm error Missing script: "unit-${name}"`], 'npm run', 'npm run test:unit'),
    );
    expect(remedies(learn(cases))).toEqual(['npm run test:unit']);
  });

  it('is nothing where runs kept what others left out of the call', () => {
    const NO_PYTEST = '/usr/bin/python3: No module named pytest';
    const kept = ran(['/usr/bin/python3 -m pytest tests/test_a.py', NO_PYTEST], 'python3 -m pytest tests/test_a.py');
    const again = ran(['/usr/bin/python3 -m pytest tests/test_c.py', NO_PYTEST], 'python3 -m pytest tests/test_c.py');
    const left = ran(['/usr/bin/python3 -m pytest tests/test_b.py', NO_PYTEST], 'python3 tests/test_b.py');
    expect(remedies(learn([...kept, ...again]))).toEqual(['python3 -m pytest <py file>']);
    expect(remedies(learn([...kept, ...left]))).toEqual([]);
  });

  it('is nothing where its new word may stand in the place of any other', () => {
    const sql = (statement: string, errorLine?: string) => ({ statement, errorLine });
    const asked = (at: number, ...calls: ReturnType<typeof sql>[]): LearnedCase[] =>
      casesOf(
        calls.map(({ statement, errorLine }, place) =>
          callOf(
            { tool: 'sql', action: statement, ok: errorLine === undefined, errorLine, errorText: errorLine },
            place,
          ),
        ),
      ).map((one) => ({ one, run: `${at}`, agent: `${at}`, origin: `${at}`, finishedAt: '2026-01-01T00:00:00Z' }));
    const wrong = (name: string): string => `Table 'school.${name}' does not exist`;
    const cases = [
      asked(1, sql('SELECT id FROM users WHERE age = 3', wrong('users')), sql('SELECT id FROM pupil WHERE age = 3')),
      asked(2, sql('SELECT name, age FROM high_pupil', wrong('high_pupil')), sql('SELECT name, age FROM pupil')),
      asked(3, sql('SELECT * FROM friends f LIMIT 2', wrong('friends')), sql('SELECT * FROM pupil LIMIT 2')),
    ];
    expect(remedies(learn(cases.flat()))).toEqual([]);
  });

  it('is nothing where no word says what to put into the call, but for the value of a named argument', () => {
    const NO_FILE = 'relctl: cannot read the plan';
    const moved = (folder: string) => ran(['relctl apply plan', NO_FILE], `cd ${folder} && relctl apply plan`);
    expect(remedies(learn([...moved('a'), ...moved('b'), ...moved('c')]))).toEqual([]);
    expect(remedies(learn([...moved('a'), ...moved('a'), ...moved('a')]))).toEqual(['cd a && relctl apply plan']);
    const named = (key: string) => ran(['relctl apply plan', NO_FILE], `relctl apply plan --key=${key}`);
    expect(remedies(learn([...named('a'), ...named('b'), ...named('c')]))).toEqual(['relctl apply plan --key=<key>']);
    const tagged = (tag: string) => ran(['relctl apply plan', NO_FILE], `relctl apply -t ${tag} plan`);
    expect(remedies(learn([...tagged('a'), ...tagged('b'), ...tagged('c')]))).toEqual(['relctl apply -t <name> plan']);
  });

  it('is nothing where only the headline of the errors is known', () => {
    const cut = (file: string) => ran([`python ${file}`, 'Traceback (most recent call last):'], `python3 ${file}`);
    expect(learn([...cut('a.py'), ...cut('b.py'), ...cut('c.py')])).toEqual([]);
  });

  it('is another source only where the error is known, and for a person to decide', () => {
    const obeyed = (name: string, error: string) =>
      ran(
        [`npm install ${name}`, error],
        'npm config set registry https://packages.example/npm',
        `npm install ${name}`,
      );
    const lessons = (error: string, allowed?: ReadonlySet<RefusedRemedy>) =>
      learn(
        ['a-pad', 'b-pad', 'c-pad'].flatMap((name) => obeyed(name, error)),
        allowed,
      ).length;
    const why = 'npm error 404 The package is not in this registry.';
    expect(lessons(why, new Set([FOREIGN_SOURCE]))).toBe(1);
    expect(lessons(why)).toBe(0);
    expect(lessons('Exit code 1 [output without an error line]', new Set([FOREIGN_SOURCE]))).toBe(0);
  });

  it('closes a variable where something else overcame the failure with another value', () => {
    const lessons = learn(MODULES);
    expect(remedies(lessons)).toEqual(['pip install opencv-python', 'pip install pyyaml']);
    const of = (module: string) =>
      remedies(lessons.filter(({ claim }) => appliesTo(claim, failure('python x.py', `${NO}${module}'`))));
    expect(of('yaml')).toEqual(['pip install pyyaml']);
    expect(of('cv2')).toEqual(['pip install opencv-python']);
    expect(of('torch')).toEqual([]);
  });

  it('closes no list of words, such as the rest of a line', () => {
    const DOWN = 'vend: the till is closed';
    const sold = (step: string, ...rests: string[]) =>
      rests.flatMap((rest, at) =>
        ran([`vend sell ${rest}`, DOWN], step, `vend sell ${rest} --as-${rests.length}${at}`),
      );
    const lessons = learn([
      ...sold('vend till --open', 'tea', 'pie --hot', 'jam --cold --big', 'egg'),
      ...sold('vend reboot', 'nut --raw', 'nut --raw'),
    ]);
    const about = lessons.filter(({ claim }) => appliesTo(claim, failure('vend sell salt --fine', DOWN)));
    expect(remedies(about)).toContain('vend till --open');
  });

  it('closes a variable that a constant took the place of, until many values say that any would do', () => {
    const tables = (...names: string[]) =>
      names.flatMap((name) => ran([`vend open ${name}`, `vend: no shelf ${name}`], 'vend open main'));
    const appliesToOther = (...names: string[]) =>
      learn(tables(...names)).some(({ claim }) => appliesTo(claim, failure('vend open attic', 'vend: no shelf attic')));
    expect(learn(tables('left', 'right'))).toHaveLength(1);
    expect(appliesToOther('left', 'right')).toBe(false);
    expect(appliesToOther('left', 'right', 'upper', 'lower')).toBe(true);
  });

  it('leaves a variable open that the remedy repeats', () => {
    const cases = ['flask', 'django', 'attrs'].flatMap((module) => missing('a.py', module, module));
    const [lesson] = learn(cases);
    const [condition] = lesson?.claim.conditions ?? [];
    expect(patternLine(condition?.step ?? [])).toBe('pip install <module>');
    const bound = condition && bindingsOf(condition, failure('python a.py', `${NO}rich'`));
    expect(bound?.get('module')).toBe('rich');
  });

  it.each<[string, (n: number) => Done[]]>([
    [
      'a force that only silences the error',
      (n) => [[`rm -r out${n}/*`, `rm: cannot remove 'out${n}/*': No such file or directory`], `rm -f out${n}/*`],
    ],
    ['another number', (n) => [[`seq ${n}0`, 'Error: the range is empty today'], `seq ${n}1`]],
    [
      'an edit of code',
      (n) => [
        [`node build-${n}.js`, 'ReferenceError: total is not defined'],
        { edit: 'src/total.js' },
        `node build-${n}.js`,
      ],
    ],
    ['the same call again', (n) => [[`curl -s api/${n}`, 'Error: the server timed out'], `curl -s api/${n}`]],
    [
      'a skipped check',
      (n) => [[`git commit -m fix${n}`, 'husky: pre-commit hook failed'], `git commit --no-verify -m fix${n}`],
    ],
    [
      'a look in the place of what was to be done',
      (n) => [[`python -m pytest t${n}.py`, 'python: no module pytest'], `cat t${n}.py`],
    ],
    ['more rights', (n) => [[`mkdir data${n}`, 'mkdir: Permission denied'], `sudo mkdir data${n}`]],
  ])('is no lesson: %s', (_name, done) => {
    expect(learn([1, 2, 3, 4].flatMap((n) => ran(...done(n))))).toEqual([]);
  });

  it('is one lesson for each thing that was added, though a word is the same', () => {
    const cases = ['a', 'b', 'c', 'd'].flatMap((name) => [
      ...ran([`pip install ${name}`, 'bash: pip: command not found'], `python3 -m pip install ${name}`),
      ...ran([`unzip -q ${name}.zip`, 'bash: unzip: command not found'], `python3 -m zipfile -e ${name}.zip .`),
    ]);
    expect(remedies(learn(cases))).toEqual(['python3 -m pip install <name>', 'python3 -m zipfile -e <zip file> .']);
  });

  it('is one that skips a check only if this is asked for', () => {
    const cases = [1, 2, 3].flatMap((n) =>
      ran([`git commit -m fix${n}`, 'husky: pre-commit hook failed'], `git commit --no-verify -m fix${n}`),
    );
    expect(learn(cases)).toEqual([]);
    expect(learn(cases, new Set([SKIPS_CHECK]))).toHaveLength(1);
  });

  it('is read from hostile calls, too', () => {
    const word = fc.constantFrom('a', '-b', '=', '&&', '"', '<x>', '⟨e⟩', '\u2060', "'", 'git', '1', '`');
    const line = fc.array(word, { maxLength: 250 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(fc.tuple(line, line, line), { minLength: 2, maxLength: 4 }), (given) => {
        const cases = given.flatMap(([failed, error, worked]) => ran([failed, error], `${failed} ${worked}`));
        for (const { claim, supports } of learn(cases))
          for (const one of claim.conditions) expect(one.call.length + supports.length).toBeGreaterThan(2);
      }),
      { numRuns: 20 },
    );
  });
});
