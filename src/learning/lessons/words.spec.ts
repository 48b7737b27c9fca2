import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isAny, itemText, patternLine } from '../patterns/matching.js';
import type { Condition, Item, LearnedClaim } from '../patterns/pattern.schema.js';
import { wordsOf } from './words.js';

const token = fc.stringMatching(/^[a-z]{2,6}$/);
const item: fc.Arbitrary<Item> = fc.oneof(
  token,
  token.map((one) => ({ one })),
  token.map((any) => ({ any })),
  fc.tuple(token, token).map(([part, before]) => ({ part, before: `${before}/`, after: '' })),
);
const pattern = fc.tuple(token, fc.array(item, { maxLength: 4 })).map(([first, rest]) => [first, ...rest]);
const condition = fc
  .record({ call: pattern, error: pattern, remedy: pattern }, { noNullPrototype: true })
  .chain((one) =>
    fc
      .option(pattern, { nil: undefined })
      .map(
        (step): Condition => ({ ...one, ...(step ? { step } : {}), tool: 'shell', values: {}, closed: {}, said: [] }),
      ),
  );

const claimOf = (...conditions: Condition[]): LearnedClaim => ({
  key: conditions[0]?.step ? `step ${patternLine(conditions[0].step)}` : '+x',
  follow: ['+x'],
  rivals: [],
  conditions,
});
const words = (claim: LearnedClaim, show: (tool: string, line: string) => string | undefined = (_, line) => line) => {
  const found = wordsOf(
    claim,
    show,
    ({ error }) => patternLine(error),
    () => true,
  );
  if (found === undefined) throw new Error('no words');
  return found;
};

const base: Condition = {
  tool: 'shell',
  call: ['python', { one: 'file' }],
  error: ['command', 'not', 'found'],
  remedy: ['python3', { one: 'file' }],
  values: { file: ['a.py', 'b.py'] },
  closed: {},
  said: [],
};

describe('the words of a lesson', () => {
  it('name each token and variable of call, error, step and remedy; any number of tokens is an ellipsis', () => {
    fc.assert(
      fc.property(condition, (one) => {
        const { when, action, steps } = words(claimOf(one));
        const isAgain = patternLine(one.call) === patternLine(one.remedy);
        const shown = (each: Item): string => (isAny(each) ? '...' : itemText(each));
        for (const each of one.call) expect(when.join(' ')).toContain(shown(each));
        for (const each of one.error) expect(when.join(' ')).toContain(itemText(each));
        for (const each of [...(one.step ?? []), ...one.remedy, ...(isAgain ? one.call : [])]) {
          expect(action).toContain(shown(each));
          expect(steps.join(' ')).toContain(shown(each));
        }
      }),
    );
  });

  it('say what to run instead, and what the places were', () => {
    expect(words(claimOf(base))).toMatchObject({
      title: 'Run `python3 <file>` instead of `python <file>`',
      when: ['`python <file>` has failed with "command not found"'],
      action: 'Run `python3 <file>` instead of `python <file>`',
      steps: ['Run `python3 <file>` instead of `python <file>`.'],
      values: ['`<file>` was `a.py` or `b.py`.'],
    });
  });

  it('say that only some values of a place were seen', () => {
    const { when } = words(claimOf({ ...base, closed: { file: ['a.py', 'b.py'] } }));
    expect(when).toEqual(['`python <file>` has failed with "command not found", where `<file>` is `a.py` or `b.py`']);
  });

  it.each<[string, string, Item[]]>([
    ['Run `make env` first, then run `go` again', 'shell', ['make', 'env']],
    ['Edit `tsconfig.json` first, then run `go` again', 'shell', ['edit', 'tsconfig.json']],
    ['Call `Read path=<path>` first, then run `go` again', 'shell', ['Read', 'path=', { one: 'path' }]],
    ['Run `find . -name src` first, then call `go` again', 'Grep', ['find', '.', '-name', 'src']],
    ['Call `Refresh` first, then run `go` again', 'shell', ['Refresh']],
    ['Call `sql_tables shop` first, then call `go` again', 'sql_query', ['sql_tables', 'shop']],
    ['Call `query select books` first, then call `go` again', 'query', ['query', 'select', 'books']],
    ['Call `load_index` first, then call `go` again', 'search', ['load_index']],
    ['Call `load_index name=<name>` first, then call `go` again', 'search', ['load_index', 'name=', { one: 'name' }]],
  ])('say which kind of step comes first: %s', (action, tool, step) => {
    expect(words(claimOf({ ...base, tool, call: ['go'], remedy: ['go'], step })).action).toBe(action);
  });

  it('are none if a part may not be shown, and leave out a condition that may not be', () => {
    const other = { ...base, call: ['secret'], values: {} };
    const show = (_: string, line: string) => (line.includes('secret') ? undefined : line);
    expect(() => words(claimOf(other), show)).toThrow('no words');
    expect(words(claimOf(base, other), show).when).toHaveLength(1);
    expect(words(claimOf(base, other)).when).toHaveLength(2);
  });

  it('are none if what is shown of call and remedy is the same', () => {
    const fetched = (url: string): Item[] => ['grab', 'url=', url];
    const hidden = (_: string, line: string) => line.replace(/url=\S+/, 'url=<url>');
    const claim = claimOf({ ...base, call: fetched('http://a.test'), remedy: fetched('https://a.test') });
    expect(() => words(claim, hidden)).toThrow('no words');
    expect(words(claim).action).toBe('Run `grab url=https://a.test` instead of `grab url=http://a.test`');
    // The step is the difference.
    const step = ['grab', 'login'];
    expect(words(claimOf({ ...base, call: fetched('a'), remedy: fetched('b'), step }), hidden).steps).toHaveLength(2);
  });

  it('quote an error without the full stop that ends it', () => {
    const { when } = words(claimOf({ ...base, error: ['no', 'folder.'] }));
    expect(when).toEqual(['`python <file>` has failed with "no folder"']);
    expect(words(claimOf({ ...base, error: ['no', 'such...'] })).when[0]).toContain('"no such..."');
  });

  it('name no private value', () => {
    const found = wordsOf(
      claimOf(base),
      (_, line) => line,
      () => '',
      (value) => value !== 'a.py',
    );
    expect(found?.values).toEqual([]);
  });

  it('say the settings of a tool, and call a step in the line of the remedy no step', () => {
    const set = words(claimOf({ ...base, remedy: ['python', { one: 'file' }, '#', 'run_in_background=true'] }));
    expect(set.action).toBe('Run `python <file>` with `run_in_background=true` instead of `python <file>`');
    const step = ['nvm', 'use', '20'];
    const line = words(claimOf({ ...base, step, remedy: [...step, '&&', 'python', { one: 'file' }] }));
    expect(line.steps).toEqual(['Run `nvm use 20 && python <file>` instead of `python <file>`.']);
  });

  it('call a step by its tool: a program of a shell may have a name with an underscore', () => {
    const step = (...tokens: string[]) => words(claimOf({ ...base, step: tokens, remedy: base.call })).steps[0];
    expect(step('pg_ctl', '-D', '.pgdata', 'start')).toBe('Run `pg_ctl -D .pgdata start`.');
    expect(step('load_index', 'name=', 'main')).toBe('Call `load_index name=main`.');
    expect(step('mcp__chat__list', '200')).toBe('Call `mcp__chat__list 200`.');
  });

  it('leave out what may stand in front of call and remedy, and say so', () => {
    const more = { any: 'more' };
    const { action, values } = words(
      claimOf({
        ...base,
        call: [more, ...base.call],
        remedy: [more, ...base.remedy],
        values: { more: ['', 'cd app &&'] },
      }),
    );
    expect(action).toBe('Run `python3 <file>` instead of `python <file>`');
    expect(values).toEqual(['It may stand behind other commands of a line; these stay.']);
  });

  it('ask for no more of a step than all runs did', () => {
    const path = { one: 'file path' };
    const edit = ['Edit', 'file_path=', path];
    const one = {
      tool: 'edit',
      call: edit,
      error: ['not', 'read'],
      step: ['Read', 'file_path=', path, { any: 'more' }],
      remedy: edit,
      values: { 'file path': ['a.ts', 'b.ts'], more: ['', 'limit= 20'] },
      closed: {},
      said: [],
    };
    expect(words(claimOf(one)).action).toBe(
      'Call `Read file_path=<file path>` first, then call `Edit file_path=<file path>` again',
    );
  });

  it('say what to leave out in front of any line', () => {
    const more = { any: 'more' };
    const { title, steps } = words(claimOf({ ...base, call: ['cd', 'app', '&&', more], remedy: [more] }));
    expect([title, ...steps]).toEqual(['Run the rest without `cd app`', 'Run the rest without `cd app`.']);
  });

  it('say where a path begins if the remedy leaves out the folder that is not there', () => {
    const left = { ...base, call: ['cd', 'app', '&&', 'make'], remedy: ['make'] };
    const begins = 'Look first in which folder the shell is: paths begin there.';
    const error = ['cd', 'no', 'such', 'file', 'or', 'directory', 'app'];
    expect(words(claimOf({ ...left, error })).values).toContain(begins);
    expect(words(claimOf({ ...left, error: ['app', 'is', 'locked'] })).values).not.toContain(begins);
  });

  it('say to copy a text that was not found, and not to give the same one again', () => {
    const call = ['Edit', 'file_path=', { one: 'file' }, 'new_string=', '[text]', 'old_string=', '[text]'];
    const error = ['String', 'to', 'replace', 'not', 'found', 'in', 'file'];
    const step = ['Read', 'file_path=', { one: 'file' }];
    const copied = { ...base, tool: 'edit', call, error, step, remedy: call };
    expect(words(claimOf(copied))).toMatchObject({
      name: 'Read before Edit',
      title: 'Call `Read file_path=<file>`, and copy `old_string` from it',
      steps: [
        'Call `Read file_path=<file>`.',
        'Call `Edit` again, with `old_string` copied exactly from what that shows.',
      ],
    });
    expect(words(claimOf({ ...copied, error: ['File', 'has', 'not', 'been', 'read'] })).title).toBe(
      'Call `Read file_path=<file>` before `Edit file_path=<file> new_string=[text] old_string=[text]`',
    );
  });

  it('are short in a long title', () => {
    const long = Array.from({ length: 20 }, (_, n) => `word${n}`);
    const claim = claimOf({ ...base, call: ['make', ...long], remedy: ['make', ...long, 'SIGN=1'] });
    expect(words(claim).title).toBe('Add `SIGN=1` to `make`');
    const prepared = claimOf({ ...base, call: ['make', ...long], step: ['make', 'env'], remedy: ['make', ...long] });
    expect(words(prepared).title).toBe('Run `make env` before `make`');
  });

  it('name a skill by its error where what differs is no letter or digit', () => {
    const call = ['docker-compose', 'up', '-d', { one: 'name' }];
    const remedy = ['docker', 'compose', ...call.slice(1)];
    const error = ['docker-compose', 'command', 'not', 'found'];
    const { name, title } = words(claimOf({ ...base, call, remedy, error }));
    expect(name).toBe('docker-compose command not found');
    expect(title).toBe('Run `docker compose up -d <name>` instead of `docker-compose up -d <name>`');
  });

  it('name the program in the title, and not the folder in which it runs', () => {
    const place = { any: 'more' };
    const relctl = (...more: string[]): Item[] => [
      'cd',
      '[path]/deploy',
      '&&',
      'relctl',
      'publish',
      ...more,
      place,
      '--target',
      'eu-west',
      '--values',
      'a-long-name-of-a-file',
    ];
    const { title } = words(
      claimOf({
        tool: 'shell',
        call: relctl(),
        error: ['denied'],
        remedy: relctl('--sign'),
        values: {},
        closed: {},
        said: [],
      }),
    );
    expect(title).toBe('Add `--sign` to `relctl`');
  });

  it('say that a number is given as one, wherever they say what to do', () => {
    const call = ['pay', 'amount=', { one: 'amount' }];
    const claim = { ...claimOf({ ...base, tool: 'pay', call, remedy: call.with(2, { one: 'amount2' }) }) };
    const { title, action, steps } = words({ ...claim, follow: ['-"⟨a⟩"'] });
    for (const text of [title, action, ...steps]) expect(text).toMatch(/, with a number and not a text\.?$/);
  });
});
