import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { neutralise } from './neutralise.js';

describe('neutralised text', () => {
  it.each([
    ['keeps inline code', 'Run `python3 -m venv .venv` first.', 'Run `python3 -m venv .venv` first.'],
    ['keeps a flag at the start', '--force skips the lock', '--force skips the lock'],
    ['keeps a number at the start', '3 retries are enough', '3 retries are enough'],
    ['keeps a placeholder', 'Open [path] and look', 'Open [path] and look'],
    ['keeps shell variables that no reader expands', 'echo $HOME $1', 'echo $HOME $1'],
    ['keeps an ampersand', 'sleep 1 && a & b; c', 'sleep 1 && a & b; c'],
    ['breaks a command run at load', 'a !`b`', 'a &#33;`b`'],
    ['joins a run of backticks', '```! x ```', '`! x `'],
    ['breaks a file reference', 'npm i @scope/pkg', 'npm i &#64;scope/pkg'],
    [
      'breaks a file reference in code',
      '`npm i @scope/pkg`, `cat x@/srv/a`',
      '`npm i &#64;scope/pkg`, `cat x&#64;/srv/a`',
    ],
    ['keeps the version of a name', '`tool add left@1.2 right@v3`', '`tool add left@1.2 right@v3`'],
    [
      'breaks what only looks like a version',
      'a @1 "@2" x@~1 x@1/../a x@1.',
      'a &#64;1 "&#64;2" x&#64;~1 x&#64;1/../a x@1.',
    ],
    ['breaks a substitution', '$ARGUMENTS \u0024{CLAUDE_X}', '&#36;ARGUMENTS &#36;{CLAUDE_X}'],
    ['breaks a tag', '2>&1 <b>', '2&gt;&1 &lt;b&gt;'],
    [
      'keeps a placeholder and redirections in code',
      '`a -t <image tag> <in >out 2>&1 && b`',
      '`a -t <image tag> &lt;in >out 2>&1 && b`',
    ],
    [
      'keeps what a command reads',
      '`sort < a.txt; cat <<EOF; diff <(a) <(b)`',
      '`sort < a.txt; cat <<EOF; diff <(a) <(b)`',
    ],
    [
      'breaks a tag in code',
      '`</skill> <a b="c"> <Br> <!-- x -->`',
      '`&lt;/skill> &lt;a b="c"> &lt;Br> &lt;!-- x --&gt;`',
    ],
    ['breaks a frame in code', '`<system-reminder> < system >`', '`&lt;system-reminder&gt; &lt; system >`'],
    ['breaks a tag behind an escaped backtick', '\\`<folder>`', '\\`&lt;folder&gt;`'],
    ['breaks a tag behind an open backtick', '`a` `<folder>', '`a` `&lt;folder&gt;'],
    ['breaks a link', '[a](b)', '[a]&#40;b)'],
    ['breaks a link definition', '[a]: b', '\\[a]: b'],
    ['breaks an entity that hides a character', '&#8238;', '&amp;#8238;'],
    ['breaks a heading', '# a', '\\# a'],
    ['breaks a bullet', '- a', '\\- a'],
    ['breaks a rule', '***', '\\***'],
    ['breaks a list number', '12) a', '12\\) a'],
  ])('%s', (_what, text, shown) => {
    expect(neutralise(text)).toBe(shown);
  });

  it('does not change if it is neutralised again', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[ -&(-+.@\\`[\]~$!<>&#;1a]*$/));
    fc.assert(
      fc.property(texts, (text) => {
        expect(neutralise(neutralise(text))).toBe(neutralise(text));
      }),
      { numRuns: 1_000 },
    );
  });
});
