import { describe, expect, it } from '@jest/globals';
import { isFilledLine, rawCommandOf } from './call-pattern.js';
import { programOf, simpleCommands, tokensOf } from './shell-tokens.js';

const texts = (line: string): string[] => tokensOf(line).map(({ text }) => text);
const fills = (recommended: string, observed: string): boolean =>
  isFilledLine(tokensOf(recommended), tokensOf(observed));

describe('a command line, as the judge reads it', () => {
  it('has words without their quotes, operators, and no comments', () => {
    expect(texts(`# first\ncd 'my shop'&&npm test -- "a b" 2>&1 | tail -5 # end`)).toEqual([
      ...['cd', 'my shop', '&&', 'npm', 'test', '--', 'a b', '2>&1', '|', 'tail', '-5'],
    ]);
    expect(texts('a\nb;\n')).toEqual(['a', ';', 'b']);
    expect(texts('echo $(date +%s) `id -u` x\\ y')).toEqual(['echo', '$(date +%s)', '`id -u`', 'x y']);
  });

  it('has the text of a here-document as one word', () => {
    expect(texts("cat <<'EOF' > x.py\nprint(1)\nEOF\npython x.py")).toEqual([
      ...['cat', '<<', 'print(1)', '>', 'x.py', ';', 'python', 'x.py'],
    ]);
  });

  it('has its redirections after its words', () => {
    expect(texts('2>/dev/null grep x < in.txt y | wc -l')).toEqual([
      ...['grep', 'x', 'y', '2>', '/dev/null', '<', 'in.txt', '|', 'wc', '-l'],
    ]);
  });

  it('has simple commands with their programs', () => {
    const commands = simpleCommands(tokensOf('cd x && NODE_ENV=test /usr/bin/npm test > log | tail'));
    expect(commands).toEqual([['cd', 'x'], ['NODE_ENV=test', '/usr/bin/npm', 'test'], ['tail']]);
    expect(commands.map(programOf)).toEqual(['cd', 'npm', 'tail']);
  });
});

describe('a placeholder', () => {
  it('stands for a part of a word, a word or several words', () => {
    expect(fills('cat <folder>/x.csv', 'cat /srv/books/x.csv')).toBe(true);
    expect(fills('echo <text>', 'echo all is well')).toBe(true);
    expect(fills('docker build -t <image tag> .', 'docker build -t shop:7 .')).toBe(true);
  });

  it('stands for no flag, no operator and not for nothing', () => {
    expect(fills('git push <branch>', 'git push main --force')).toBe(false);
    expect(fills('make <target>', 'make all && make install')).toBe(false);
    expect(fills('make <target>', 'make')).toBe(false);
  });

  it('is filled in the command that a shell is given, too', () => {
    const { lines } = rawCommandOf('Bash', { command: "bash -lc 'cd x && make all'" });
    expect(lines.some((line) => isFilledLine(tokensOf('cd x && make <target>'), line))).toBe(true);
  });
});
