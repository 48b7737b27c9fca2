import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wordsOfLine } from './call-words.js';
import { isObserved, unobservedCommands } from './observed-spans.js';

const shell = (call: string) => ({ tool: 'shell', call });
const CALLS = {
  worked: [
    shell('NODE_ENV=test npm test'),
    shell('git push --set-upstream origin main'),
    shell('docker build --network=host -t app:1 .'),
    shell('cd <folder>/app && nvm use 20 && npm run lint -- "src/*.ts" 2>&1'),
    shell('npm run e2e # run_in_background=true'),
    { tool: 'run_sql', call: '{"sql":"SELECT id FROM users WHERE name = \'a\'"}' },
    { tool: 'search', call: '{"query":"open","limit":"10"}' },
    { tool: 'Edit', call: '{"file_path":"app/babel.config.json","new_string":"<new text>"}' },
  ],
  failed: [
    shell('NODE_ENV= npm test'),
    shell('docker build .'),
    { tool: 'search', call: '{"query":"open","limit":99}' },
  ],
};
const unobserved = (text: string) => unobservedCommands(text, CALLS);

describe('the commands of an acting text', () => {
  it.each([
    ['a call that worked', 'Run `NODE_ENV=test npm test`.'],
    ['a call with a placeholder', 'Run `git push --set-upstream <remote> <branch>` once.'],
    ['one word of a call', 'Set `NODE_ENV=test`, use `docker` and `--network=host`.'],
    ['a flag with its value', 'Add `--set-upstream origin` or `-t app:1`.'],
    ['a tool call, its tool, an argument, and one with its value', 'Call `search {"query":"<text>","limit":"10"}`.'],
    ['an argument', 'Give `search` the argument `limit`, as in `limit: 10`.'],
    ['a tool call as lessons show it', 'Call `search query=open limit=10`, or `search query=<text>`.'],
    [
      'a failed call after "instead of"',
      'Run `NODE_ENV=test npm test` instead of `NODE_ENV= npm test` or `docker build .`',
    ],
    ['a failed call that the text calls failed', 'If `docker build .` has already failed, run `docker`.'],
    ['a failed call that it is about to run', 'About to run `docker build .`, use `docker`.'],
    [
      'the arguments of a failed call after its tool',
      'Call `search` instead of `search` with `{"query":"open","limit":99}`',
    ],
    ['a code block of calls that worked', 'Run:\n```sh\n# as seen\nNODE_ENV=test npm test\n```\nThen stop.'],
    ['a file to edit', 'Edit `babel.config.json` first.'],
    ['a command of a line', "Run `nvm use 20`, then `nvm use 20 && npm run lint -- 'src/*.ts'`."],
    ['the tokens of a line, any number of them in the place of <more>', 'Run `docker build <more>`.'],
    ['a line with the settings of its tool', 'Run `npm run e2e` with `run_in_background=true`.'],
    ['the words of a statement', 'Call `run_sql select id from users where name [text]`, use `id`.'],
    ['no code', 'Look at the list first.'],
  ])('may be %s', (_what, text) => {
    expect(unobserved(text)).toEqual([]);
  });

  it.each([
    ['a call that failed', 'Run `NODE_ENV= npm test`.', ['NODE_ENV= npm test']],
    ['a placeholder in the place of the program', 'Run `<command> test`.', ['<command> test']],
    ['a flag without its value', 'Add `--set-upstream`.', ['--set-upstream']],
    [
      'a call with another value',
      'Run `docker build --network=none -t app:1 .`',
      ['docker build --network=none -t app:1 .'],
    ],
    ['a file to run', 'Run `babel.config.json`.', ['babel.config.json']],
    ['another file', 'Edit `package.json` first.', ['package.json']],
    ['a part of a call', 'Run `git push`.', ['git push']],
    ['two commands that stood apart', 'Run `cd <folder> && npm run lint`.', ['cd <folder> && npm run lint']],
    ['a part of a statement', 'Call `run_sql select id`.', ['run_sql select id']],
    ['a call with more', 'Run `NODE_ENV=test npm test && rm x`.', ['NODE_ENV=test npm test && rm x']],
    ['an unknown call after "not"', 'Run `docker`, not `podman build`.', ['podman build']],
    ['a line of a code block', '```sh\nnpm ci\n```', ['npm ci']],
    ['a span in several backticks', 'Run ``npm ci``.', ['npm ci']],
    ['another value in a line of arguments', 'Call `search query=open limit=99`.', ['search query=open limit=99']],
    ['more than arguments in a line', 'Call `search now query=open`.', ['search now query=open']],
    ['another argument of a tool', 'Call `search {"query":"<text>"}`.', ['search {"query":"<text>"}']],
  ])('are refused if they show %s', (_what, text, commands) => {
    expect(unobserved(text)).toEqual(commands);
  });

  it('are accepted exactly if some call that worked fills them', () => {
    const word = fc.constantFrom('npm', 'ci', 'run', '--flag', 'x', 'NODE_ENV=test', '--a=b', '"a b"');
    const line = fc.array(word, { minLength: 3, maxLength: 5 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), line, (worked, recommended) => {
        const calls = { worked: worked.map(shell), failed: [] };
        const isKnown = isObserved(shell(recommended), calls.worked);
        expect(unobservedCommands(`Run \`${recommended}\` now.`, calls)).toEqual(isKnown ? [] : [recommended]);
        for (const call of worked) {
          expect(unobservedCommands(`Run \`${call}\`.`, calls)).toEqual([]);
          const open = wordsOfLine(call)
            .map((it, at) => (at === 1 ? '<value>' : it))
            .join(' ');
          expect(unobservedCommands(`Run \`${open}\`.`, calls)).toEqual([]);
        }
      }),
    );
  });

  it('may be failed calls in a text that describes a failure, but not where it asks for them', () => {
    const shown = (text: string) => unobservedCommands(text, CALLS, 'not asked for');
    expect(shown('The error of `docker build .` names no tag, and `docker build` alone is not enough.')).toEqual([]);
    expect(shown('Run `docker build .`.')).toEqual(['docker build .']);
    expect(shown('The error of `podman build` names no tag.')).toEqual(['podman build']);
    expect(unobservedCommands('Run `docker build .`.', CALLS, 'anywhere')).toEqual([]);
  });

  it('may be a statement without its signs, as lessons show it', () => {
    const call = JSON.stringify({ query: "SELECT name FROM pupil WHERE class = '4b'" });
    const calls = { worked: [{ tool: 'run_sql', call }], failed: [] };
    expect(unobservedCommands('Call `run_sql select name from pupil where class <text>`.', calls)).toEqual([]);
    expect(unobservedCommands('Call `run_sql select age from pupil`.', calls)).toHaveLength(1);
  });

  it('end for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '``', ' ', 'a', '\n', '```', '<', '>', 'not') }), (text) => {
        expect(Array.isArray(unobserved(text))).toBe(true);
      }),
    );
  });
});
