import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { mintToken, type TokenKind } from '../../src/access/identity/token.js';
import { CONSUMERS } from '../consumers/consumers.js';
import { refusal } from '../support/parsed-command.js';

const Packages = z.record(z.string(), z.string());
const Package = z.object({ name: z.string(), dependencies: Packages, devDependencies: Packages });

const OWN = Package.parse(JSON.parse(readFileSync('package.json', 'utf8')));
/** Ours, those that we depend on, and those from the npm registry that `npm run test:consumers` runs. */
const PACKAGES = new Set([
  OWN.name,
  ...Object.keys(OWN.dependencies),
  ...Object.keys(OWN.devDependencies),
  ...CONSUMERS.map((consumer) => consumer.package.name),
]);

/** Complete, because each kind has to be named. */
const KINDS: Record<TokenKind, true> = {
  one_time: true,
  sign_in: true,
  personal: true,
  token: true,
  session: true,
  link: true,
};
const PREFIXES = new Set(Object.keys(KINDS).map((kind) => mintToken(kind as TokenKind, '').token));

const read = (file: string): string => readFileSync(file, 'utf8');
const below = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`);

/** What tells a reader or a product how to connect over MCP. */
const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  ...[...below('docs'), ...below('examples')].filter((file) => file.endsWith('.md')),
  ...below('plugins'),
].filter((file) => /\bmcp|Model Context Protocol/i.test(read(file)));

const RUN = /\b(?:npx|npm (?:install|i|exec))((?: -[-\w]+)*) ([@.\w][-@./\w]*)/g;
const IMPORTED = /\b(?:from|import|require\() ?'([@\w][-@./\w]*)'/g;
const PROTOCOL = /@modelcontextprotocol\/[-\w]+/g;

/** The package that a text after `npx` or in an import means: without version, sub-path, and folder of a tarball. */
function packageOf(name: string): string {
  const tarball = /^\.{1,2}\/([-\w]+?)-\d[-.\w]*\.tgz$/.exec(name)?.[1];
  const [first = '', second = ''] = name.split('/');
  const bare = first.startsWith('@') ? `${first}/${second}` : first;
  return tarball ?? bare.replace(/(?!^)@.*$/, '');
}

function namedPackages(text: string): readonly string[] {
  const run = [...text.matchAll(RUN)].map(([, , name = '']) => name);
  const imported = [...text.matchAll(IMPORTED)].map(([, name = '']) => name);
  const protocol = [...text.matchAll(PROTOCOL)].map(([name]) => name);
  return [...run, ...imported, ...protocol].map(packageOf).filter((name) => !name.startsWith('node:'));
}

const unknownPackages = (text: string) => namedPackages(text).filter((name) => !PACKAGES.has(name));
const tokenPrefixes = (text: string) => [...text.matchAll(/\bgb[a-z]{1,4}_/g)].map(([prefix]) => prefix);
const unknownPrefixes = (text: string) => tokenPrefixes(text).filter((prefix) => !PREFIXES.has(prefix));

/** A server that a client starts, in its settings: `"command": "guildbook", "args": ["mcp"]`. */
const SERVER = /"command":\s*"([\w-]+)",\s*"args":\s*\[([^\]]*)\]/g;
const commandProblems = (text: string) =>
  [...text.matchAll(SERVER)].flatMap(([, command, args = '']) => {
    const words = args.replace(/[",]+/g, ' ').trim();
    const reason = command === OWN.name ? refusal(words) : 'no command of this package';
    return reason === undefined ? [] : [`${command} ${words}: ${reason}`];
  });

const problemsOf = (find: (text: string) => readonly string[]) =>
  DOCUMENTS.flatMap((file) => find(read(file)).map((name) => `${file}: ${name}`));

describe('the documents about MCP', () => {
  it('name only packages that we depend on or that our tests run', () => {
    expect(DOCUMENTS).toEqual(expect.arrayContaining(['README.md', 'docs/connect-an-agent.md', 'docs/use-skills.md']));
    expect(DOCUMENTS.flatMap((file) => namedPackages(read(file))).length).toBeGreaterThan(5);
    expect(problemsOf(unknownPackages)).toEqual([]);
  });

  it('name only token prefixes that the server gives', () => {
    expect(DOCUMENTS.flatMap((file) => tokenPrefixes(read(file))).length).toBeGreaterThan(5);
    expect(problemsOf(unknownPrefixes)).toEqual([]);
  });
});

it('the settings in the documents start a command that exists', () => {
  const documents = DOCUMENTS.filter((file) => file.endsWith('.md'));

  expect(documents.flatMap((file) => [...read(file).matchAll(SERVER)]).length).toBeGreaterThan(0);
  expect(documents.flatMap((file) => commandProblems(read(file)))).toEqual([]);
  expect(commandProblems('{"command": "guildbook", "args": ["mpc"]}')).toHaveLength(1);
  expect(commandProblems('{"command": "guildbook-mcp", "args": []}')).toHaveLength(1);
});

describe('the reader of the documents', () => {
  it.each([
    ['npx skills add SERVER', 'skills'],
    ['npx --yes ./guildbook-0.1.0.tgz demo', 'guildbook'],
    ['npm install --global @openai/codex@0.169.0', '@openai/codex'],
    ["import { AgentSession } from 'guildbook/client';", 'guildbook'],
    ['the package `@modelcontextprotocol/server`', '@modelcontextprotocol/server'],
  ])('knows the package in "%s"', (text, name) => {
    expect([namedPackages(text), unknownPackages(text)]).toEqual([[name], []]);
  });

  it.each(['npx -y guildbook-mcp', 'npx @guildbook/mcp@latest', '`@modelcontextprotocol/skills`'])(
    'refuses the package in "%s"',
    (text) => {
      expect(unknownPackages(text)).toHaveLength(1);
    },
  );

  it('knows gbt_ and refuses gba_', () => {
    expect(unknownPrefixes('"GUILDBOOK_TOKEN": "gbt_…", or gba_…')).toEqual(['gba_']);
  });
});
