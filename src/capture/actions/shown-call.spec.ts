import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInstance } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { callArguments } from './call-arguments.js';
import { normaliseCommand } from './normalised-command.js';
import { shownCall } from './shown-call.js';

const command = (raw: string) => shownCall({ name: 'Bash', action: normaliseCommand(raw), ok: true })?.call;
const call = (name: string, input: unknown) =>
  shownCall({ name, action: '', ok: true, arguments: callArguments(name, input) })?.call;

describe('a shown command', () => {
  it.each([
    ['NODE_ENV=test npm test', 'NODE_ENV=test npm test'],
    ['git push --set-upstream origin main', 'git push --set-upstream origin main'],
    ['git add -A && git commit -am "close the books"', 'git add -A && git commit -am "<commit message>"'],
    ['gh pr create --title "A" --body "B c"', 'gh pr create --title "<title>" --body "<body>"'],
    ['python3 -c "print(1)"', 'python3 -c <code>'],
    ['psql -h db1 -c "select 1" shop', 'psql -h db1 -c "<sql statement>" shop'],
    ["cat > conf.py <<'E'\nx = 1\nE", 'cat >conf.py <<EOF <file text> EOF'],
    ['python3 - <<E\nprint(1)\nE', 'python3 - <<EOF <code> EOF'],
    ['git clone https://git.example.com/a/b shop', 'git clone <repository url> shop'],
    ['pip install --index-url https://p.example.com/s x', 'pip install --index-url <url> x'],
    ['git checkout 1f0c9ab', 'git checkout <commit>'],
    [
      'cd /srv/acme/shop && python /srv/acme/x.py > /srv/acme/out.txt',
      'cd <folder>/shop && python <folder>/x.py > <folder>/out.txt',
    ],
    ['API_KEY=abc deploy --token abc', 'API_KEY=<api key> deploy --token <token>'],
    [
      'curl -X POST -d \'{"a":1}\' -H "Authorization: x" http://localhost:3000/a',
      'curl -X POST -d "<body>" -H "<header>" http://localhost:3000/a',
    ],
    ['kill $(cat server.pid)', 'kill <value>'],
    ['mkdir -p $(date)', 'mkdir -p <value>'],
    ['ssh jo@build7 uptime', 'ssh <user>@build7 uptime'],
    ['grep -rn "def total" src', 'grep -rn "def total" src'],
    ["sed -i 's/a/b/' conf.ini", 'sed -i "<script>" conf.ini'],
  ])('%s', (raw, expected) => {
    expect(command(raw)).toBe(expected);
  });

  it('has no space around it, so that it is the call that is stored', () => {
    expect(shownCall({ name: 'Bash', action: "' ", ok: false })).toEqual({ tool: 'shell', call: "'" });
  });

  it('of an older report has a name for each value that it lacks', () => {
    const shown = (action: string) => shownCall({ name: 'Bash', action, ok: true })?.call;
    expect(shown('NODE_ENV=[value] npm test')).toBe('NODE_ENV=<node env> npm test');
    expect(shown('grep -rn [text] src | head -3')).toBe('grep -rn "<pattern>" src | head -3');
    expect(shown('node [var]')).toBe('node <value>');
  });

  it('has no placeholder of a stored command, and no flag with an empty value', () => {
    const piece = fc.constantFrom(
      ...['git commit -m ', '"a b" ', 'cd /home/jo/x ', '&& ', '--token ', 'abc ', 'K=/srv/a/b ', '<<E\nx\nE\n', '| '],
      ...['> /srv/x/y ', 'python -c ', "'x' ", 'https://e.example.com/x ', 'deadbeef1 ', '$(id) ', 'echo ', '--out='],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const raw = pieces.join('');
        const shown = command(raw) ?? '';
        expect(shown).not.toMatch(/\[(?:path|text|code|value|url|hash|id|host|user)\]/);
        if (!/=(?:\s|$)/.test(normaliseCommand(raw))) expect(shown).not.toMatch(/=(?:\s|$)/);
        // read again, it has the same words, and it is an instance of itself
        expect(wordsOfLine(shown).join(' ')).toBe(shown);
        if (shown !== '') expect(isInstance({ tool: 'shell', call: shown }, { tool: 'shell', call: shown })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a shown tool call', () => {
  it('has its arguments with their types', () => {
    expect(call('search', { query: 'open', limit: 5, exact: true, tags: ['a'], page: null })).toBe(
      '{"query":"open","limit":5,"exact":true,"tags":["a"],"page":null}',
    );
    expect(call('list_tables', {})).toBe('{}');
  });

  it('has a name for each value that the report does not hold', () => {
    const input = { file_path: '/home/jo/a/b.py', old_string: 'SECRET', new_string: 'SECRET' };
    expect(call('Edit', input)).toBe(
      '{"file_path":"<folder>/b.py","old_string":"<old text>","new_string":"<new text>"}',
    );
    expect(call('Write', { file_path: 'a.py', content: 'SECRET' })).toBe(
      '{"file_path":"a.py","content":"<file text>"}',
    );
    expect(call('TodoWrite', { todos: [1] })).toBe('{"todos":"<list>"}');
    expect(call('cancel', { order_id: '#W7', user_id: 7, last_name: 'Li', input: 'x y z' })).toBe(
      '{"order_id":"<order id>","user_id":"<user id>","last_name":"<last name>","input":"<text>"}',
    );
    expect(call('book', { passengers: [{ first_name: 'Mia', class: 'economy' }] })).toBe('{"passengers":"<list>"}');
  });

  it('of an older report is read from its action', () => {
    const shown = (name: string, action: string) => shownCall({ name, action, ok: true })?.call;
    expect(shown('Read', '{"file_path":"[path]/a.py","limit":"[n]"}')).toBe(
      '{"file_path":"<folder>/a.py","limit":"<number>"}',
    );
    expect(shown('Edit', '{"old_string":"[text]","replace_all":"false"}')).toBe(
      '{"old_string":"<old text>","replace_all":false}',
    );
    expect(shown('deploy', 'region service')).toBe('region service');
  });

  it('that is too long is not shown', () => {
    expect(shownCall({ name: 'Bash', action: 'x'.repeat(601), ok: true })).toBeUndefined();
  });
});
