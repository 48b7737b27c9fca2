import { describe, expect, it } from '@jest/globals';
import { everyCommand, pathOf } from './command-tree.js';
import { completionAt, isPlainWord, unquoted } from './completion.js';
import { createProgram } from './program.js';

const program = createProgram();
const at = (...words: string[]) => completionAt(program, words);
const values = (...words: string[]) => at(...words).candidates.map(({ value }) => value);

describe('the completion of a command line', () => {
  it('names commands, sub-commands, options and the choices of options', () => {
    expect(values('')).toEqual(expect.arrayContaining(['proposals', 'skills', 'serve', 'help']));
    expect(values('')).not.toContain('complete');
    expect(values('proposals', '')).toEqual(expect.arrayContaining(['list', 'approve']));
    expect(values('proposals', 'approve', '--')).toEqual(expect.arrayContaining(['--sha256', '--json', '--server']));
    expect(values('proposals', 'list', '--state', '')).toContain('withdrawn');
    expect(at('proposals', 'list', '--state=with')).toMatchObject({ prefix: '--state=', typed: 'with' });
    expect(values('memory', 'verify', 'some-id', '')).toEqual(['verified', 'unverified']);
    expect(values('help', 'pro')).toContain('proposals');
    expect(values('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it('offers the options of the command that a group runs by default', () => {
    expect(values('proposals', '--')).toContain('--state');
    expect(values('proposals', '--state', '')).toContain('pending');
  });

  it('names the kind of thing that stands at the cursor', () => {
    expect(at('skills', 'show', '')).toMatchObject({ placeholder: 'skill', candidates: [] });
    expect(at('--json', 'agents', 'disable', 'bu')).toMatchObject({ placeholder: 'agent', typed: 'bu' });
    expect(at('recall', '--agent', '')).toMatchObject({ placeholder: 'agent' });
    expect(at('recall', '--agent=bu')).toMatchObject({ placeholder: 'agent', prefix: '--agent=', typed: 'bu' });
    expect(at('import', 'one.jsonl', '')).toMatchObject({ placeholder: 'paths' });
    expect(at('serve', '--settings', '')).toMatchObject({ placeholder: 'file' });
    expect(at('agents', 'add', '').placeholder).toBe('name');
    expect(at('whoami', '').placeholder).toBeUndefined();
  });

  it('reads options with and without values, and the end of the options, as the command does', () => {
    expect(at('proposals', 'show', '--server', 'http://a.example', '')).toMatchObject({
      placeholder: 'proposal',
      server: 'http://a.example',
    });
    expect(at('--server=http://b.example', 'proposals', 'show', '')).toMatchObject({ server: 'http://b.example' });
    expect(at('skills', 'show', '--', '--st')).toMatchObject({ placeholder: 'skill', candidates: [] });
    expect(at('webhooks', 'add', 'https://x.example', '--event', 'proposal.approved', '').candidates).not.toEqual([]);
    expect(values('no-such-command', '')).toEqual([]);
  });

  it('has an answer for every command of the tree', () => {
    for (const command of everyCommand(program)) {
      const words = pathOf(command).split(' ').slice(1);
      expect(values(...words, '--')).toContain('--json');
    }
  });
});

describe('a word as it was typed', () => {
  it.each([
    ['plain', 'plain', false],
    ["Rosa\\ O\\'Neil", "Rosa O'Neil", false],
    ["'Rosa $(x)'", 'Rosa $(x)', true],
    ['"a\\"b', 'a"b', true],
    ['\\', '', false],
  ])('is read without being evaluated: %s', (typed, text, isQuoted) => {
    expect(unquoted(typed)).toEqual({ text, isQuoted });
  });

  it('is plain only without anything that a shell reads', () => {
    expect(['build-bot', '--state=x', '1a2b'].every(isPlainWord)).toBe(true);
    expect(['a b', '$x', '`x`', "'", '"', '!', '*', ''].some(isPlainWord)).toBe(false);
  });
});
