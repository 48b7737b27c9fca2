import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type CommandLine, commandsInMarkdown, commandsInSource, commandsInText } from '../support/command-lines.js';
import { refusal } from '../support/parsed-command.js';

/** Files that a reader meets; measurements and decisions report what was done at their time. */
const DOCUMENTS = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'AGENTS.md'];

function filesBelow(folder: string, ...ends: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => ends.some((end) => file.endsWith(end)) && !file.includes('.spec.') && !file.includes('node_modules'),
    )
    .map((file) => `${folder}/${file}`)
    .sort();
}

const read = (file: string): string => readFileSync(file, 'utf8');
const refusals = (commands: readonly CommandLine[]): readonly string[] =>
  commands.flatMap(({ at, text, isMention }) => {
    const reason = refusal(text, isMention);
    // The program alone prints its help.
    return reason === undefined || text === '' ? [] : [`${at}: guildbook ${text}: ${reason}`];
  });

describe('a guildbook command that a reader is shown', () => {
  it('exists with its options and arguments in every document', () => {
    const files = [...DOCUMENTS, ...filesBelow('docs', '.md'), ...filesBelow('examples', '.md')];
    const commands = files.flatMap((file) => commandsInMarkdown(file, read(file)));

    expect(commands.length).toBeGreaterThan(100);
    expect(refusals(commands)).toEqual([]);
  });

  it('exists in every text that the program prints', () => {
    const commands = [
      ...filesBelow('src', '.ts').flatMap((file) =>
        /guildbook |npm run/.test(read(file)) ? commandsInSource(file, read(file)) : [],
      ),
      ...filesBelow('src', '.hbs').flatMap((file) => commandsInText(file, read(file))),
    ];

    expect(commands.length).toBeGreaterThan(25);
    expect(refusals(commands)).toEqual([]);
  });
});

describe('the reader of command lines', () => {
  const found = (markdown: string) => commandsInMarkdown('page.md', markdown).map(({ text }) => text);

  it('finds commands in blocks, in inline code, in pipes and behind variables', () => {
    expect(
      found('```sh\nGUILDBOOK_PORT=0 guildbook serve --settings a.env\nid=$(guildbook --json agents list | jq .)\n```'),
    ).toEqual(['serve --settings a.env', '--json agents list']);
    expect(found('Run `npm run --silent guildbook -- status`, or `npx ./guildbook-0.1.0.tgz demo --once`.')).toEqual([
      'status',
      'demo --once',
    ]);
  });

  it('finds the commands in a text of the source, and no sentence about the program', () => {
    const source = [
      'print(`Sign in: guildbook login --server ',
      '$',
      '{url} --token <token> (once). guildbook waits by itself`);',
    ].join('');

    expect(commandsInSource('a.ts', source).map(({ text }) => text)).toEqual([
      'login --server <value> --token <value>',
    ]);
  });

  it.each([
    ['lgoin', 'unknown command'],
    ['agents ad build-bot', 'error'],
    ['bakcup --help', 'unknown command'],
    ['agents add', 'missing required argument'],
    ['agents add a b', 'too many arguments'],
    ['status --loud', 'unknown option'],
    ['import --format pdf a.pdf', 'choices'],
  ])('refuses "guildbook %s"', (text, reason) => {
    expect(refusal(text)).toContain(reason);
  });

  it.each([
    'import <value>',
    'people add "Rita Review" --email rita@example.org',
    'agents add …',
    'agents add --help',
    '--version',
    'login --token - < token',
  ])('accepts "guildbook %s"', (text) => {
    expect(refusal(text)).toBeUndefined();
  });
});
