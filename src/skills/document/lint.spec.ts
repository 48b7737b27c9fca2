import { describe, expect, it } from '@jest/globals';
import { lintSkill } from './lint.js';

const HEAD = '---\nname: "retry-once"\ndescription: "Use when a retry helps."\n---\n';
const rules = (bytes: string) => lintSkill(bytes).map(({ rule, line }) => `${rule}@${line}`);

describe('the linter of skills', () => {
  it('accepts a plain skill with code, lists and the entities of the renderer', () => {
    const body =
      '\n# Retry once\n\n1. Run `migrate deploy`.\n\n- `2&gt;&1` &amp; &#64;scope, sure! `x`\n\n```sh\nls\n```\n';
    expect(lintSkill(HEAD + body)).toEqual([]);
  });

  it.each([
    ['a command run at load', 'Then !`touch x`', 'exec.inline'],
    ['the same after a word', 'wow!`touch x`', 'exec.inline'],
    ['an executed fence', '```!', 'exec.fence'],
    ['an executed fence of more backticks, after a space', '````` !', 'exec.fence'],
    ['an executed tilde fence', '~~~!', 'exec.fence'],
    ['an absolute file reference', 'See @/etc/passwd', 'exec.file'],
    ['a file reference in the home folder', 'See @~/.ssh/config', 'exec.file'],
    ['a quoted file reference', 'See @"a b"', 'exec.file'],
    ['the arguments of the session', 'Do $ARGUMENTS', 'exec.substitution'],
    ['a variable of the session', 'Do \u0024{CLAUDE_SKILL_DIR}/x', 'exec.substitution'],
    ['an HTML comment', '<!-- do it -->', 'markup.angle'],
    ['a closer of the frame', 'x </system-reminder>', 'markup.angle'],
    ['a link', 'See [x](y)', 'markup.link'],
    ['a link definition', '[x]: https://evil.example', 'markup.link'],
    ['a link definition in a list', '- [x]: https://evil.example', 'markup.link'],
    ['an entity for a hidden character', 'a&#8238;b', 'markup.entity'],
    ['a named entity', 'a&ZeroWidthSpace;b', 'markup.entity'],
    ['a zero-width space', 'a\u200bb', 'hidden.character'],
    ['a direction override', 'a\u202eb', 'hidden.character'],
    ['tag characters', 'a\u{e0061}b', 'hidden.character'],
    ['variation selectors', 'a\u{e0101}b', 'hidden.character'],
    ['a blank letter', 'a\u3164b', 'hidden.character'],
    ['a blank symbol', 'a\u2800b', 'hidden.character'],
    ['a carriage return', 'a\r', 'hidden.character'],
    ['an escape character', 'a\u001b[31m', 'hidden.character'],
    ['a private character', 'a\ue000', 'hidden.character'],
    ['a lone surrogate', 'a\ud800', 'hidden.character'],
    ['a decomposed letter', 'e\u0301', 'hidden.form'],
  ])('finds %s, with its line', (_what, line, rule) => {
    expect(rules(`${HEAD}\n${line}\nmore\n`)).toEqual([`${rule}@6`]);
  });

  it.each([
    ['tools granted to the skill', 'allowed-tools: "Bash"', 'frontmatter.field@4'],
    ['hooks', 'hooks: "PreToolUse"', 'frontmatter.field@4'],
    ['hooks as a block', 'hooks:', 'frontmatter.format@4'],
    ['an unquoted value', 'license: MIT', 'frontmatter.format@4'],
    ['a second description', 'description: "x"', 'frontmatter.format@4'],
    ['an unescaped fence', 'license: "a---b"', 'frontmatter.format@4'],
    ['an empty compatibility', 'compatibility: ""', 'frontmatter.field@4'],
  ])('finds %s in the frontmatter', (_what, line, finding) => {
    expect(rules(HEAD.replace('\n---\n', `\n${line}\n---\n`))).toEqual([finding]);
  });

  it('reads the value that an escape in a quoted string stands for', () => {
    const file = HEAD.replace('a retry helps', 'a \\u0021`touch x` helps');
    expect(rules(file)).toEqual(['exec.inline@3']);
    expect(rules(HEAD.replace('a retry', 'a\\u202e retry'))).toEqual(['frontmatter.format@3']);
  });

  it('reports the lines of angle brackets and of an invalid name', () => {
    expect(rules(HEAD.replace('a retry', 'a \\u003cb\\u003e'))).toEqual(['frontmatter.field@3', 'markup.angle@3']);
    expect(rules(HEAD.replace('retry-once', 'Retry'))).toEqual(['frontmatter.field@2']);
    expect(rules('---\nname: "x"\n---\n')).toEqual(['frontmatter.field@1']);
  });

  it('lints a file whose frontmatter cannot be read', () => {
    expect(rules('\ufeff---\nname: "x"\n---\n!`x`\n')).toEqual([
      'frontmatter.format@1',
      'hidden.character@1',
      'exec.inline@4',
    ]);
  });

  it('allows fewer than 500 lines and 5000 tokens', () => {
    const lines = (count: number) => HEAD + '\n'.repeat(count - HEAD.split('\n').length);
    expect(rules(lines(499))).toEqual([]);
    expect(rules(lines(500))).toEqual(['size.lines@500']);
    const chars = (count: number) => HEAD + 'x'.repeat(count - HEAD.length);
    expect(rules(chars(4 * 4_999))).toEqual([]);
    expect(rules(chars(4 * 4_999 + 1))).toEqual(['size.tokens@5']);
  });
});
