import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCommandLine } from './command-line.js';

function words(source: string): string[][] {
  return parseCommandLine(source).map((command) => command.words.map((word) => word.text));
}

describe('command line', () => {
  it.each([
    ['operators end a command', 'a && b || c | d ; e & f', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    ['an operator inside quotes is text', `echo "a && b" 'c | d'`, [['echo', 'a && b', 'c | d']]],
    ['an escaped blank belongs to its word', 'cat my\\ file.txt', [['cat', 'my file.txt']]],
    ['a backslash at the end of a line joins the lines', 'pytest \\\n  -x', [['pytest', '-x']]],
    ['a comment ends with its line', 'ls # not this\npwd', [['ls'], ['pwd']]],
    ['parentheses group commands', '(cd sub && make)', [['cd', 'sub'], ['make']]],
    ['an unclosed quote ends with the text', "echo 'never closed", [['echo', 'never closed']]],
    ['an exotic blank does not stop the parser', 'ls\u00a0\u2003\u000b-la', [['ls', '-la']]],
  ])('%s', (_name, source, expected) => {
    expect(words(source)).toEqual(expected);
  });

  it('a here-document is not parsed as commands, and the text after it is', () => {
    const commands = parseCommandLine("python3 - <<'END' && echo done\nimport os\nrm -rf x\nEND\nls");
    expect(commands.map((command) => command.words.map((word) => word.text))).toEqual([
      ['python3', '-'],
      ['echo', 'done'],
      ['ls'],
    ]);
    expect(commands[0]?.heredoc).toBe(true);
  });

  it('redirections are not operands', () => {
    const [command] = parseCommandLine('make build 2>&1 >out.log </dev/null');
    expect(command?.words.map((word) => word.text)).toEqual(['make', 'build']);
    expect(command?.redirects).toEqual([
      { operator: '2>&', target: '1' },
      { operator: '>', target: 'out.log' },
      { operator: '<', target: '/dev/null' },
    ]);
  });

  it('a word with a command substitution is marked as code, nested and quoted ones too', () => {
    const [command] = parseCommandLine('echo $(date +$(cat f)) "now `id`" plain');
    expect(command?.words.map((word) => word.code)).toEqual([false, true, true, false]);
  });

  it('keeps the operator on both sides of a command', () => {
    const [first, second] = parseCommandLine('serve & curl localhost');
    expect(first).toMatchObject({ joiner: '', after: '&' });
    expect(second).toMatchObject({ joiner: '&', after: '' });
  });

  it('never throws and never invents text for any input', () => {
    const fragment = fc.constantFrom(...'\'"`$()<>|&;\\\n#{} '.split(''), '<<E\n', '$(', '&&', '2>&1', 'x');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fragment).map((parts) => parts.join('')),
        ),
        (source) => {
          for (const command of parseCommandLine(source)) {
            for (const word of command.words) expect(word.text.length).toBeLessThanOrEqual(source.length);
          }
        },
      ),
    );
  });
});
