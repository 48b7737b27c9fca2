import { describe, expect, it } from '@jest/globals';
import type { SetCall } from '../sets/set-row.js';
import { failuresOf, WITHIN } from './recoverable.js';

type Result = boolean | undefined;
const call = (tool: string, input: unknown, ok: Result, output = ''): SetCall => ({
  tool,
  input,
  ok,
  output,
  isCut: false,
});
const shell = (command: string, ok: Result, output = ''): SetCall => call('Bash', { command }, ok, output);
const waiting = (n: number): SetCall[] => Array.from({ length: n }, () => shell('ls books', true));

/** The kinds of changes between a failed line and one that worked. */
const kindsBetween = (failed: string, worked: string, error = ''): string[] =>
  failuresOf([shell(failed, false, error), shell(worked, true)]).flatMap(({ changes }) =>
    changes.map(({ kind }) => kind),
  );
const kindsOfTool = (failed: object, worked: object, error = ''): string[] =>
  failuresOf([call('book_room', failed, false, error), call('book_room', worked, true)]).flatMap(({ changes }) =>
    changes.map(({ kind }) => kind),
  );

describe('a recoverable failure', () => {
  it('is followed within eight calls by the same action, which worked in another form', () => {
    const later = (n: number) => [shell('python close.py', false), ...waiting(n), shell('python3 close.py', true)];
    expect(failuresOf(later(WITHIN - 1))).toMatchObject([
      { at: 0, by: WITHIN, changes: [{ kind: 'form', dropped: ['python'], added: ['python3'] }] },
    ]);
    expect(failuresOf(later(WITHIN))).toMatchObject([{ by: undefined, recovered: false }]);
  });

  it.each([
    ['an interpreter by another path', './env/bin/python3.11 close.py', 'python close.py', ['form']],
    ['a module that is also a program', 'python -m pytest books', 'pytest books', ['form']],
    ['a folder that is entered first', 'make close', 'cd ledger && make close', ['prefix']],
    ['a variable', 'npm test', 'TZ=UTC npm test', ['prefix']],
    ['a wrapper', 'apt-get install jq', 'sudo apt-get install jq', ['prefix']],
    ['an exported variable', 'export TZ=UTC && npm test', 'npm test', ['prefix']],
    ['a code fence', '```bash\nls -l books\n```', 'ls -l books', ['prefix']],
    ['a flag', 'cp books archive', 'cp -r books archive', ['flag']],
    ['a flag with a value', 'git log books', 'git log --max-count=5 books', ['flag']],
    ['an operand that was missing', 'git push', 'git push origin main', ['operand']],
    ['a shell around the line', 'make close', "bash -lc 'make close'", ['prefix']],
  ])('names %s', (_, failed, worked, kinds) => {
    expect(kindsBetween(failed, worked)).toEqual(kinds);
  });

  it('names another operand if the error calls the old one wrong, names the new one, or both are forms of one', () => {
    const [failed, worked] = ['cat ledger.csv', 'cat accounts.csv'];
    expect(kindsBetween(failed, worked, 'cat: ledger.csv: No such file or directory')).toEqual(['operand']);
    expect(kindsBetween(failed, worked, 'use accounts.csv, says the bookkeeper')).toEqual(['operand']);
    expect(kindsBetween(failed, 'cat books/ledger.csv')).toEqual(['operand']);
    expect(kindsBetween(failed, worked, 'one test failed')).toEqual([]);
  });

  it('is not named by content: code, a message, a here document, a search for something else', () => {
    expect(kindsBetween('python -c "import till"', 'python -c "import book"')).toEqual([]);
    expect(kindsBetween('git commit -m one', 'git commit -m two')).toEqual([]);
    expect(kindsBetween('cat > a.py <<EOF\none\nEOF', 'cat > a.py <<EOF\ntwo\nEOF')).toEqual([]);
    expect(kindsBetween('grep -n total books', 'grep -r sum books')).toEqual([]);
    expect(kindsBetween('grep -n total books', 'grep -rn total books')).toEqual(['flag']);
  });

  it('is another action if the program, its subcommand or the kind of script differs', () => {
    for (const worked of ['git fetch origin', 'python3 -c "1"', 'npm start', 'git push --help'])
      expect(kindsBetween('git push', worked)).toEqual([]);
    expect(kindsBetween('python close.py', 'python -m close')).toEqual([]);
  });

  it('needs a success that is known, and that is not the success of another command', () => {
    const worked = (line: string, ok: Result) => failuresOf([shell('npm test', false), shell(line, ok)])[0]?.by;
    expect(worked('npm test -- --watch=false', undefined)).toBeUndefined();
    for (const line of ['npm test -w till | tail', 'npm test -w till || true', 'npm test -w till; ls'])
      expect(worked(line, true)).toBeUndefined();
    expect(worked('npm test -w till && ls', true)).toBe(1);
  });

  it('has the same call again if nothing changed, which no lesson can name', () => {
    const again = failuresOf([shell('npm test', false), shell('npm test', true)]);
    expect(again).toMatchObject([{ recovered: true, differs: false, by: undefined }]);
  });

  it('of another tool names argument keys, and values as operands', () => {
    const room = { room: 12, guests: [{ name: 'ada' }] };
    expect(kindsOfTool({ name: 'ada' }, { guest: 'ada' })).toEqual(['key']);
    expect(kindsOfTool(room, { ...room, guests: [{ name: 'ada', age: 7 }] })).toEqual(['key']);
    expect(kindsOfTool(room, { ...room, room: 14 }, 'Error: room 120 is not free')).toEqual([]);
    expect(kindsOfTool({ room: 'R120' }, { room: 'R140' }, 'Error: R120 not found')).toEqual(['value']);
  });

  it('of a query names tables and columns, and compares statements of one verb', () => {
    const ask = (query: string, ok: boolean, error = '') => call('sql', { query }, ok, error);
    const kinds = (failed: string, worked: string, error = '') =>
      failuresOf([ask(failed, false, error), ask(worked, true)]).flatMap(({ changes }) => changes);
    expect(kinds('SELECT x FROM rooms', 'SELECT x FROM room', "Table 'rooms' doesn't exist")).toMatchObject([
      { kind: 'operand', dropped: ['rooms'], added: ['room'] },
    ]);
    expect(kinds('SELECT x FROM rooms', 'SHOW TABLES')).toEqual([]);
    expect(kinds("SELECT x FROM rooms WHERE y = 'a'", "SELECT x FROM rooms WHERE y = 'b'")).toEqual([]);
  });

  it('of which the arguments were cut names only what stands in front', () => {
    const cut = (one: SetCall): SetCall => ({ ...one, isCut: true });
    const kinds = (failed: SetCall, worked: SetCall) =>
      failuresOf([cut(failed), cut(worked)]).flatMap(({ changes }) => changes.map(({ kind }) => kind));
    expect(kinds(shell('python a.py', false), shell('python3 -O a.py b', true))).toEqual(['form']);
    expect(kinds(call('book_room', { a: 1 }, false), call('book_room', { b: 1 }, true))).toEqual([]);
  });
});
