import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program/program.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';

const FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet', 'returns-portal');
const NONE = '00000000-0000-4000-8000-000000000000';
const HASH = 'a'.repeat(64);

/** `npm run test:install` reads their JSON. */
const ON_MACHINE = "works on the server's own machine, not through the server of this spec";

/** Commands that print something else than one document, with the reason. */
const OTHER_OUTPUT: Readonly<Record<string, string>> = {
  demo: 'prints its steps; its last line is JSON, which the test of the package reads',
  serve: 'prints its log; the line with its address is JSON',
  mcp: 'speaks the Model Context Protocol on standard output',
  complete: 'answers the completion scripts of shells',
  help: 'prints a text for people',
  backup: ON_MACHINE,
  migrate: ON_MACHINE,
  move: ON_MACHINE,
  restore: ON_MACHINE,
};

/** A command line for each other command, with its exit status; `{agent}` and the like become ids. */
const COMMANDS: Readonly<Record<string, readonly [words: string, exit: number]>> = {
  login: ['login --token {invitation}', 0],
  servers: ['servers', 0],
  'servers list': ['servers list', 0],
  'servers use': ['servers use no-such-server', 4],
  'servers forget': ['servers forget no-such-server', 4],
  connect: ['connect --list', 0],
  whoami: ['whoami', 0],
  status: ['status', 0],
  pause: ['pause --project shop --for 8', 0],
  resume: ['resume', 0],
  import: [`import ${FLEET}`, 0],
  'import claude-code': [`import claude-code ${FLEET}`, 0],
  lessons: ['lessons', 0],
  'lessons show': [`lessons show ${NONE}`, 4],
  'lessons correct': [`lessons correct ${NONE} --cause x --reason wrong`, 4],
  'lessons share': [`lessons share ${NONE} --with role --reason wrong`, 4],
  'lessons unshare': [`lessons unshare ${NONE} --reason wrong`, 4],
  'lessons delete': [`lessons delete ${NONE} --reason wrong`, 4],
  embedder: ['embedder', 2],
  'embedder active': ['embedder active', 0],
  'embedder cancel': ['embedder cancel --confirm --reason wrong', 0],
  'embedder checkpoints': ['embedder checkpoints', 0],
  'embedder delete': [`embedder delete ${NONE} --confirm --reason old`, 4],
  'embedder preflight': ['embedder preflight', 0],
  'embedder resume': [`embedder resume ${NONE}`, 4],
  'embedder rollback': [`embedder rollback ${NONE} --confirm --reason worse`, 4],
  'embedder runs': ['embedder runs', 0],
  'embedder status': ['embedder status', 0],
  'embedder train': ['embedder train', 0],
  evolve: ['evolve', 0],
  'evolve candidates': ['evolve candidates', 0],
  'evolve cycles': ['evolve cycles', 0],
  'evolve families': ['evolve families', 0],
  'evolve writers': ['evolve writers', 0],
  proposer: ['proposer', 2],
  'proposer usage': ['proposer usage', 0],
  proposals: ['proposals', 0],
  'proposals list': ['proposals list --state approved', 0],
  'proposals show': [`proposals show ${NONE}`, 4],
  'proposals executions': [`proposals executions ${NONE}`, 0],
  'proposals approve': [`proposals approve ${NONE} --sha256 ${HASH}`, 4],
  'proposals override': [`proposals override ${NONE} --sha256 ${HASH} --reason urgent`, 4],
  'proposals edit': [`proposals edit ${NONE} --file no-such-file`, 2],
  'proposals resolve': [`proposals resolve ${NONE} --sha256 ${HASH} --as keep`, 4],
  'proposals reopen': [`proposals reopen ${NONE} --reason again`, 4],
  'proposals reject': [`proposals reject ${NONE} --reason wrong`, 4],
  skills: ['skills', 0],
  'skills list': ['skills list', 0],
  'skills show': ['skills show no-such-skill', 4],
  'skills retire': ['skills retire no-such-skill --reason old', 4],
  'skills effect': ['skills effect', 0],
  'skills rollout': ['skills rollout no-such-skill 25', 4],
  'skills use': ['skills use no-such-skill --execution x --agent build-bot', 4],
  'skills rename': ['skills rename no-such-skill another', 4],
  journal: ['journal', 0],
  'journal list': ['journal list --limit 2', 0],
  'journal verify': ['journal verify', 0],
  'journal checkpoint': ['journal checkpoint', 4],
  'journal prove': ['journal prove 1', 4],
  'journal export': ['journal export {folder}/journal.jsonl', 0],
  'journal streams': ['journal streams', 0],
  'journal streams list': ['journal streams list', 0],
  'journal streams add': ['journal streams add https://10.0.0.1/', 2],
  'journal streams remove': [`journal streams remove ${NONE}`, 4],
  retention: ['retention', 0],
  recall: ['recall --agent build-bot close the books', 0],
  remember: ['remember the books close on Friday', 3],
  memory: ['memory', 2],
  consolidate: ['consolidate --dry-run', 0],
  'consolidate list': ['consolidate list', 0],
  'consolidate pause': ['consolidate pause', 0],
  'consolidate pauses': ['consolidate pauses', 0],
  'consolidate resume': ['consolidate resume', 0],
  'consolidate show': [`consolidate show ${NONE}`, 4],
  'consolidate skills': ['consolidate skills --dry-run', 0],
  'consolidate undo': [`consolidate undo ${NONE}`, 4],
  'memory tombstones': ['memory tombstones', 0],
  'memory upkeep': ['memory upkeep --dry-run', 0],
  'memory runs': ['memory runs', 0],
  'memory show': [`memory show ${NONE}`, 4],
  'memory undo': [`memory undo ${NONE}`, 4],
  'memory pin': [`memory pin ${NONE}`, 4],
  'memory retire': [`memory retire ${NONE} --reason wrong`, 4],
  'memory promotions': ['memory promotions', 0],
  'memory promotion': [`memory promotion ${NONE}`, 4],
  'memory check': [`memory check ${NONE}`, 4],
  'memory verify': [`memory verify ${NONE} verified --reason seen`, 4],
  sessions: ['sessions --folder {folder}/no-memory', 0],
  'sessions list': ['sessions list --folder {folder}/no-memory', 0],
  'sessions push': ['sessions push --folder {folder}/no-memory --agent build-bot', 0],
  'sessions show': ['sessions show 2026-05-15-08h00 --folder {folder}/no-memory', 4],
  'sessions preamble': ['sessions preamble --folder {folder}/no-memory', 0],
  'sessions search': ['sessions search compaction --folder {folder}/no-memory', 0],
  people: ['people', 0],
  'people list': ['people list', 0],
  'people add': ['people add Rosa --email rosa@example.org --reviewer', 0],
  'people change': ['people change {person} --admin', 0],
  'people invite': ['people invite {person}', 0],
  'people disable': ['people disable {person}', 0],
  agents: ['agents', 0],
  'agents list': ['agents list', 0],
  'agents add': ['agents add night-bot', 0],
  'agents rotate': ['agents rotate {agent}', 0],
  'agents change': ['agents change {agent} --core-tokens 200', 0],
  'agents disable': ['agents disable {agent}', 0],
  services: ['services', 0],
  'services list': ['services list', 0],
  'services add': ['services add importer', 0],
  'services rotate': ['services rotate importer', 0],
  'services disable': ['services disable importer', 0],
  webhooks: ['webhooks', 0],
  'webhooks list': ['webhooks list', 0],
  'webhooks add': ['webhooks add https://10.0.0.1/', 2],
  'webhooks remove': [`webhooks remove ${NONE}`, 4],
  'webhooks test': [`webhooks test ${NONE}`, 4],
  'webhooks deliveries': [`webhooks deliveries ${NONE}`, 4],
  completion: ['completion bash', 0],
  logout: ['logout', 0],
};

const pathsOf = (command: Command, path = ''): string[] =>
  command.commands.flatMap((one) => [`${path}${one.name()}`, ...pathsOf(one, `${path}${one.name()} `)]);

describe('every command with --json', () => {
  let app: TestApplication;
  let program: CommandLine;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_RETRIEVAL: 'hybrid' });
    program = await CommandLine.create();
    const { principal, token } = await app.admin.people.add({
      name: 'Vera',
      email: 'vera@example.org',
      reviewer: true,
      admin: false,
    });
    Object.assign(ids, { folder: program.folder, person: principal.id, invitation: token });
    ids['agent'] = (await app.agent('build-bot')).id;
  });
  afterAll(async () => {
    await app.close();
    await program.remove();
  });

  it('is run here, or prints something else for a reason', () => {
    expect(pathsOf(createProgram()).sort()).toEqual([...Object.keys(COMMANDS), ...Object.keys(OTHER_OUTPUT)].sort());
  });

  it.each(Object.entries(COMMANDS))('prints one document or one error: guildbook %s', async (_, [line, exit]) => {
    const words = line.split(' ').map((word) => word.replace(/\{(\w+)\}/, (_match, name: string) => ids[name] ?? ''));
    const sender = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken };
    const ended = await program.run(['--json', ...words], sender);
    expect({ line, ...ended }).toMatchObject({ line, code: exit });
    if (exit === 0) {
      expect(ended.stderr).toBe('');
      expect(JSON.parse(ended.stdout)).toBeInstanceOf(Object);
    } else {
      expect(ended.stdout).toBe('');
      expect(JSON.parse(ended.stderr)).toEqual({
        error: expect.objectContaining({
          code: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
          message: expect.anything(),
        }),
      });
    }
  });
});
