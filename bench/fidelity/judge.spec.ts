import { describe, expect, it } from '@jest/globals';
import type { LessonExample } from '../../src/evidence/calls/lesson-parts.schema.js';
import type { SetCall } from '../sets/set-row.js';
import { rawCommandOf } from './call-pattern.js';
import { type Fidelity, judge, type LessonUnderTest } from './judge.js';
import { ObservedCalls } from './observed-calls.js';
import { CANARY } from './private-values.js';

const call = (command: string, ok: boolean): SetCall => ({
  tool: 'Bash',
  input: { command },
  ok,
  output: '',
  isCut: false,
});
const worked = [
  'NODE_ENV=test npm test',
  'git push --set-upstream origin main',
  'docker build --network=host .',
  'nvm use 20',
  'cat ledger.csv | sort',
].map((command) => call(command, true));
const failed = ['npm test', 'git push', 'nvm use 18'].map((command) => call(command, false));
const search: SetCall = {
  tool: 'search_flights',
  input: { origin: 'JFK', passengers: 2 },
  ok: true,
  output: '',
  isCut: false,
};

const observedIn = (calls: readonly SetCall[]) =>
  new ObservedCalls(calls.map(({ tool, input }) => rawCommandOf(tool, input)));

interface Texts {
  readonly action?: string;
  readonly why?: string;
  readonly file?: string;
  readonly example?: LessonExample;
  readonly pairs?: LessonUnderTest['pairs'];
}

const lessonOf = ({ action = 'Look at the error.', why = 'It failed.', file = '', example, pairs = [] }: Texts) => ({
  lesson: {
    kind: 'lesson' as const,
    title: 'a lesson',
    parts: [
      { text: action, recommends: true },
      { text: why, recommends: false },
    ],
    example,
    file,
  },
  tool: 'shell',
  family: 'npm test, exit-1',
  pairs,
});
const judged = (...lessons: Texts[]): Fidelity =>
  judge({
    name: 'a set',
    worked: observedIn([...worked, search]),
    failed: observedIn(failed),
    cut: [observedIn([call('npm run long', true)])],
    names: new Set(['mia_li']),
    lessons: lessons.map(lessonOf),
  });
const figures = (texts: Texts) => {
  const { findings: _, ...counts } = judged(texts);
  return counts;
};
const clean = { dangling: 0, lost: 0, private: 0 };

describe('a recommended command', () => {
  it('is observed if it is a successful call with its placeholders filled', () => {
    expect(figures({ action: 'Run `NODE_ENV=test npm test`.' })).toEqual({ commands: 1, observed: 1, ...clean });
    expect(figures({ action: 'Run `nvm use <version>`, then `docker build --network=host <folder>`.' })).toEqual({
      commands: 2,
      observed: 2,
      ...clean,
    });
    expect(figures({ action: 'Call `search_flights {"passengers": "<number>", "origin": "JFK"}`.' })).toMatchObject({
      observed: 1,
    });
  });

  it('is not observed with another value, a missing word, another order or another argument', () => {
    const bad = [
      'nvm use 18',
      'NODE_ENV=prod npm test',
      'git push --set-upstream',
      'docker build . --network=host',
      'cat ledger.csv',
      'cat <file> | sort -r',
      'search_flights {"origin": "SEA", "passengers": 2}',
      'search_flights {"origin": "JFK"}',
    ];
    for (const command of bad)
      expect({ command, ...figures({ action: `Run \`${command}\`.` }) }).toMatchObject({ command, observed: 0 });
  });

  it('may be one word of a successful call, or a flag with its value, but no other two words', () => {
    expect(figures({ action: "Use `npm`, `NODE_ENV=test`, '--network=host', `--set-upstream origin`." })).toMatchObject(
      {
        commands: 4,
        observed: 4,
      },
    );
    expect(figures({ action: 'Use `npm test`.' })).toMatchObject({ observed: 0 });
  });

  it('may be a word of a text that a tool was given, or a form of it that leaves out words', () => {
    const query: SetCall = { ...search, tool: 'sql', input: { query: 'SELECT Age, Name FROM teacher LIMIT 5' } };
    const calls = observedIn([query]);
    expect(['teacher', 'Age', 'sql select ... from teacher ...'].map((text) => calls.holds(text))).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ['teachers', 'sql select ... from teachers ...', 'sql from ... select'].some((one) => calls.holds(one)),
    ).toBe(false);
  });

  it('is none where the text marks it as failing, or only explains', () => {
    expect(figures({ action: 'Run `nvm use 20` instead of `nvm use 18`.', why: '`npm rebuild` failed.' })).toEqual({
      commands: 1,
      observed: 1,
      ...clean,
    });
    expect(figures({ action: 'When `npm test` fails with `exit 1`, do not repeat `npm test`.' })).toMatchObject({
      commands: 0,
    });
  });

  it('is not counted if the set cut its arguments, so that nothing is known of it', () => {
    expect(figures({ action: 'Run `npm run long`.' })).toMatchObject({ commands: 0 });
  });

  it('is not observed where a plain text shows it without the brackets of its placeholders', () => {
    const why = 'It worked as nvm use version.';
    expect(figures({ action: 'Run `nvm use <version>`.', why })).toMatchObject({ commands: 2, observed: 1 });
    expect(figures({ action: 'Run `nvm use <version>`.', why: 'It worked.' })).toMatchObject({ observed: 1 });
  });

  it('may have a quoted word of a successful call, or a here-document in one line', () => {
    const rows = [
      call('grep -n "class Till" till.py', true),
      call("awk '{print $4}' x", true),
      call("cat <<'EOF' > x\na\nEOF", true),
    ];
    const held = observedIn(rows);
    for (const text of ['{print $4}', '-n "class Till"', '"class Till"', 'cat <<EOF <file text> EOF >x'])
      expect({ text, isHeld: held.holds(text) }).toEqual({ text, isHeld: true });
  });

  it('is none in the condition of a sentence, but is one in what follows it', () => {
    const { findings, commands } = judged({
      action:
        'Use when about to run `npm it` in a shell. If `npm i` fails, run `npm ci`. When `npx x` fails: use `npx y`.',
    });
    expect(commands).toBe(2);
    expect(findings.map(({ text }) => text)).toEqual(['npm ci', 'npx y']);
  });

  it('is judged in the rendered file too, in its spans and blocks, by their sections', () => {
    const file = [
      '---\nname: "x"\ndescription: "Run `npm rebuild` first."\n---\n\n# Use `nvm use 20`\n',
      '## When to use\n\n`npm install` fails.\n\n## Steps\n\nRun it:\n\n```sh\nnvm use 21\n```\n',
      'What failed:\n\n```sh\nnvm use 18\n```\n',
      '## Example\n\n```sh\n# Failed\nnvm use 18\n# with\nError: none\n# Worked\nnvm use 22\n```\n',
    ].join('\n');
    const { findings, commands } = judged({ file });
    expect(commands).toBe(4);
    expect(findings.map(({ text }) => text)).toEqual(['npm rebuild', 'nvm use 21', 'nvm use 22']);
  });

  it('in an example is judged as a whole call, and the failing one by the failed calls', () => {
    const example = (before: string, after: string): LessonExample => ({
      failed: { tool: 'shell', call: before },
      error: 'Error: no version',
      between: [],
      worked: { tool: 'shell', call: after },
    });
    expect(figures({ example: example('nvm use 18', 'nvm use 20') })).toEqual({ commands: 2, observed: 2, ...clean });
    expect(figures({ example: example('nvm use 17', 'nvm') })).toMatchObject({ commands: 2, observed: 0 });
  });
});

describe('a dangling part', () => {
  it('is a flag without the value that successful calls give it, once for each lesson', () => {
    expect(figures({ action: 'Run `git push --set-upstream`.', why: '`--set-upstream` helps.' }).dangling).toBe(1);
    expect(figures({ action: 'Run `docker build --network=`.' }).dangling).toBe(1);
  });

  it('is an empty variable', () => {
    expect(figures({ action: 'Run `NODE_ENV= npm test`.' }).dangling).toBe(1);
  });

  it('is a placeholder that does not say what goes there', () => {
    expect(figures({ action: 'Run `docker build --network [dir]`.' }).dangling).toBe(1);
    expect(figures({ why: 'It failed after `python [file:.py]`.' }).dangling).toBe(1);
    expect(figures({ action: 'Run `cat <value>`.' }).dangling).toBe(1);
    expect(figures({ action: 'Run `cat <report file>`.' }).dangling).toBe(0);
    expect(figures({ why: 'It said "No module named [name]".' }).dangling).toBe(0);
  });
});

describe('a lost value', () => {
  const pair = (before: string, after: string) => ({ failed: call(before, false), worked: call(after, true) });
  const lost = (texts: Texts) => figures(texts).lost;

  it('is one by which the call that worked differs from the failed one, and that the lesson does not show', () => {
    const pairs = [pair('npm test', 'NODE_ENV=test npm test')];
    expect(lost({ action: 'Set the variable first.', pairs })).toBe(1);
    expect(lost({ action: 'Run `NODE_ENV=<value> npm test`.', pairs })).toBe(1);
    expect(lost({ action: 'Run `NODE_ENV=test npm test`.', pairs })).toBe(0);
  });

  it('is an argument of a tool as well', () => {
    const args = (passengers: number): SetCall => ({ ...search, input: { origin: 'JFK', passengers } });
    const pairs = [{ failed: args(0), worked: args(2) }];
    expect(lost({ action: 'Call it with another argument.', pairs })).toBe(1);
    expect(lost({ action: 'Call it with `passengers: 2`.', pairs })).toBe(0);
  });

  it('may be a placeholder where the successes differ, or where the value is private', () => {
    const versions = [pair('nvm use 18', 'nvm use 20'), pair('nvm use 18', 'nvm use 22')];
    expect(lost({ action: 'Run `nvm use <version>`.', pairs: versions })).toBe(0);
    expect(lost({ action: 'Use another version.', pairs: versions })).toBe(1);
    const own = [pair('cat x.csv', 'cat /srv/books/x.csv')];
    expect(lost({ action: 'Run `cat <folder>/x.csv`.', pairs: own })).toBe(0);
  });

  it('may have a placeholder in a part of it, such as the text in a query', () => {
    const sql = (query: string): SetCall => ({ ...search, tool: 'sql', input: { query } });
    const pairs = [{ failed: sql('SELECT a FROM till'), worked: sql("SELECT sum FROM till WHERE day = 'Monday'") }];
    const shown = `Call \`sql {"query":"SELECT sum FROM till WHERE day = '<text>'"}\`.`;
    expect(lost({ action: shown, pairs })).toBe(0);
    expect(lost({ action: 'Call `sql {"query":"<text>"}`.', pairs })).toBe(1);
  });

  it('is counted once for each family, and not where a step or the program differs', () => {
    const pairs = [pair('npm test', 'NODE_ENV=test npm test')];
    expect(judged({ pairs }, { pairs }).lost).toBe(1);
    expect(lost({ pairs: [pair('cd shop && npm test', 'npm test -- --ci')] })).toBe(0);
    expect(lost({ pairs: [pair('python x.py', 'python3 x.py')] })).toBe(0);
  });
});

describe('a private value', () => {
  it('is found in every text: home paths, e-mail addresses, hosts, queries, names and canaries', () => {
    const texts = [
      'Read `/home/ada/x`.',
      'Ask ada@books.io.',
      'See https://ci.books.io/run.',
      'See https://example.com/run?token=1.',
      'Ask 10.2.3.4.',
      'Ask db.books.internal.',
      'It is for mia_li.',
      `Say ${CANARY}.`,
    ];
    expect(texts.map((why) => figures({ why }).private)).toEqual(texts.map(() => 1));
    expect(figures({ why: 'Open https://example.com/run and setup.py on localhost.' }).private).toBe(0);
  });
});
