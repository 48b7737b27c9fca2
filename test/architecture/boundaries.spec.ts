import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';

// Scripts have no types; the functions used are declared here.
const { compareWeight, countTokens } = await import(
  new URL('../../scripts/boundaries/weight.mjs', import.meta.url).href
);

type Tree = Record<string, string>;

/** Small trees with one violation each, and the only line that the checker must report for it. */
const VIOLATIONS: [sentence: string, tree: Tree, reported: string][] = [
  [
    'a folder outside the architecture',
    { 'billing/price.ts': '' },
    'billing/price.ts: the folder "billing" is not in the architecture',
  ],
  [
    'an import from a folder below',
    {
      'memory/store/lesson.ts': `import type { Skill } from '../../skills/document/skill.js';`,
      'skills/document/skill.ts': '',
    },
    'memory/store/lesson.ts:1: imports skills/document/skill.ts, but skills is below memory in the order of the folders',
  ],
  [
    'an import hidden in a type',
    { 'memory/store/lesson.ts': `export type S = import('../../skills/document/skill.js').Skill;` },
    'memory/store/lesson.ts:1: imports skills/document/skill.ts, but skills is below memory in the order of the folders',
  ],
  [
    'a re-export from a folder below',
    { 'memory/store/lesson.ts': `export * from '../../skills/document/skill.js';` },
    'memory/store/lesson.ts:1: imports skills/document/skill.ts, but skills is below memory in the order of the folders',
  ],
  [
    'an import() at run time from a folder below',
    { 'memory/store/lesson.ts': `export const load = () => import('../../skills/document/skill.js');` },
    'memory/store/lesson.ts:1: imports skills/document/skill.ts, but skills is below memory in the order of the folders',
  ],
  [
    'an import() whose path is computed',
    { 'memory/store/lesson.ts': `export const load = (name: string) => import('../' + name);` },
    'memory/store/lesson.ts:1: computed import: the boundaries of an import with a computed path cannot be checked',
  ],
  [
    'a folder that imports the wiring',
    { 'memory/store/lesson.ts': `import '../../app.module.js';`, 'app.module.ts': '' },
    'memory/store/lesson.ts:1: imports app.module.ts, but only the commands in cli/machine start the application',
  ],
  [
    'a command other than serve and demo that imports the wiring',
    { 'cli/commands/report.ts': `import '../../app.module.js';` },
    'cli/commands/report.ts:1: imports app.module.ts, but only the commands in cli/machine start the application',
  ],
  [
    'a folder that imports the client',
    { 'recall/ranking/rank.ts': `import '../../client/client.js';` },
    'recall/ranking/rank.ts:1: imports client/client.ts, but client stands apart: nothing imports it',
  ],
  [
    'a client that imports more than schemas',
    { 'client/client.ts': `import '../platform/base/clock.js';` },
    'client/client.ts:1: imports platform/base/clock.ts, but the client imports only .schema files',
  ],
  [
    'a command line that imports a service',
    { 'cli/terminal/program.ts': `import '../../memory/store/lesson.service.js';` },
    'cli/terminal/program.ts:1: imports memory/store/lesson.service.ts, but the command line imports the client, session stores, operations, .schema and .importer files, and pure files of untrusted, journal, evidence, capture and platform',
  ],
  [
    'a command line that imports a pure file of another folder',
    { 'cli/terminal/program.ts': `import '../../recall/ranking/rank.js';` },
    'cli/terminal/program.ts:1: imports recall/ranking/rank.ts, but the command line imports the client, session stores, operations, .schema and .importer files, and pure files of untrusted, journal, evidence, capture and platform',
  ],
  [
    'a file that reaches outside the source folder',
    { 'memory/store/lesson.ts': `import '../../../test/support/fake.js';` },
    'memory/store/lesson.ts:1: imports ../test/support/fake.ts, but only specs reach outside the source folder',
  ],
  [
    'a suffix outside the vocabulary',
    { 'memory/store/lesson.manager.ts': '' },
    'memory/store/lesson.manager.ts: ".manager" is not in the vocabulary of suffixes',
  ],
  [
    'an import from a room below',
    { 'memory/store/lesson.ts': `import '../upkeep/age.js';` },
    'memory/store/lesson.ts:1: imports memory/upkeep/age.ts, but upkeep is below store in the order of the rooms',
  ],
  [
    'a room that imports the root of its folder',
    { 'memory/store/lesson.ts': `import '../memory.module.js';` },
    'memory/store/lesson.ts:1: imports memory/memory.module.ts, but the root of a folder wires its rooms: no room imports it',
  ],
  [
    'a room outside the architecture',
    { 'memory/attic/lesson.ts': '' },
    'memory/attic/lesson.ts: the folder has no room "attic"',
  ],
  [
    'a room in a folder without rooms',
    { 'journal/chains/chain.ts': '' },
    'journal/chains/chain.ts: the folder has no room "chains"',
  ],
  [
    'a file outside of the rooms',
    { 'memory/lesson.ts': '' },
    'memory/lesson.ts: at the root of a folder lie its modules and main controllers; choose a room',
  ],
  [
    'a room with too many files',
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`memory/store/lesson-${index}.ts`, ''])),
    'memory/store: 21 source files; a room has at most 20',
  ],
  [
    'two suffixes',
    { 'memory/store/lesson.schema.service.ts': '' },
    'memory/store/lesson.schema.service.ts: a file has one suffix',
  ],
  ['a barrel', { 'memory/store/index.ts': '' }, 'memory/store/index.ts: no barrels: import from the file itself'],
  [
    'a folder for everything',
    { 'memory/helpers/sort.ts': '' },
    'memory/helpers/sort.ts: "helpers" does not name an idea; choose another folder name',
  ],
  [
    'source that the check does not see',
    { 'memory/store/lesson.mjs': '' },
    'memory/store/lesson.mjs: source files end in .ts; this check reads no others',
  ],
  [
    "another folder's repository",
    { 'skills/catalogue/skill.service.ts': `import '../../memory/store/lesson.repository.js';` },
    'skills/catalogue/skill.service.ts:1: imports memory/store/lesson.repository.ts, but a repository is private to its folder',
  ],
  [
    'the org memory writer outside memory and approvals',
    { 'evolve/cycle/evolve.service.ts': `import '../../memory/store/org-memory.service.js';` },
    'evolve/cycle/evolve.service.ts:1: imports memory/store/org-memory.service.ts, but org memory is written only by an approval',
  ],
  [
    'the publication outbox outside skills and approvals',
    { 'evolve/cycle/evolve.service.ts': `import '../../skills/publishing/publication-outbox.service.js';` },
    'evolve/cycle/evolve.service.ts:1: imports skills/publishing/publication-outbox.service.ts, but only an approval puts a skill into the outbox',
  ],
  [
    'a model outside propose',
    { 'evolve/cycle/evolve.service.ts': `import Anthropic from '@anthropic-ai/sdk';` },
    'evolve/cycle/evolve.service.ts:1: imports @anthropic-ai/sdk, but only propose talks to a model',
  ],
  [
    'the generated client in a service',
    { 'memory/store/lesson.service.ts': `import { Prisma } from '../../platform/generated/prisma/client.js';` },
    'memory/store/lesson.service.ts:1: imports platform/generated/prisma/client.ts, but only .repository.ts files and platform know Prisma',
  ],
  [
    'Prisma in a service',
    { 'memory/store/lesson.service.ts': `import '@prisma/client';` },
    'memory/store/lesson.service.ts:1: imports @prisma/client, but only .repository.ts files and platform know Prisma',
  ],
  [
    'a database opened outside platform',
    { 'memory/store/lesson.repository.ts': `import pg from 'pg';` },
    'memory/store/lesson.repository.ts:1: imports pg, but only platform opens a database',
  ],
  [
    'a framework in a pure file',
    { 'memory/store/lesson.ts': `import { Injectable } from '@nestjs/common';` },
    'memory/store/lesson.ts:1: imports @nestjs/common, but a file without a suffix is pure: no framework, file system, process or database',
  ],
  [
    'the file system in a pure file',
    { 'memory/store/lesson.ts': `import { readFile } from 'node:fs/promises';` },
    'memory/store/lesson.ts:1: imports node:fs/promises, but a file without a suffix is pure: no framework, file system, process or database',
  ],
  [
    'a process in a pure file',
    { 'skills/git/git.ts': `import { spawn } from 'node:child_process';` },
    'skills/git/git.ts:1: imports node:child_process, but a file without a suffix is pure: no framework, file system, process or database',
  ],
  [
    'its own repository in a pure file',
    { 'memory/store/lesson.ts': `import './lesson.repository.js';` },
    'memory/store/lesson.ts:1: imports memory/store/lesson.repository.ts, but a file without a suffix is pure: no framework, file system, process or database',
  ],
  [
    'a verb without a spec',
    { 'approvals/decisions/approve.ts': `import { Injectable } from '@nestjs/common';` },
    'approvals/decisions/approve.ts: a verb has its spec beside it',
  ],
  [
    'the file system in a verb',
    {
      'approvals/decisions/approve.ts': `import { readFile } from 'node:fs/promises';`,
      'approvals/decisions/approve.spec.ts': '',
    },
    'approvals/decisions/approve.ts:1: imports node:fs/promises, but a verb reaches the file system and processes through a service',
  ],
  [
    'a framework in a pure file beside a room of verbs',
    { 'approvals/voting/ballot.ts': `import { Injectable } from '@nestjs/common';` },
    'approvals/voting/ballot.ts:1: imports @nestjs/common, but a file without a suffix is pure: no framework, file system, process or database',
  ],
  [
    'the environment read in a second file',
    { 'platform/base/clock.ts': `export const zone = process.env['TZ'];` },
    'platform/base/clock.ts:1: process.env: only platform/config/environment.ts reads the environment',
  ],
  [
    'the environment taken out of process',
    { 'memory/store/lesson.ts': `const { env } = process;` },
    'memory/store/lesson.ts:1: process.env: only platform/config/environment.ts reads the environment',
  ],
  [
    'the environment imported by name',
    { 'memory/store/lesson.ts': `import { env } from 'node:process';` },
    'memory/store/lesson.ts:1: process.env: only platform/config/environment.ts reads the environment',
  ],
  [
    'the time of day outside platform',
    { 'memory/store/lesson.ts': '\nexport const now = () => new Date();' },
    'memory/store/lesson.ts:2: clock: time comes from the injected Clock; only platform reads it',
  ],
  [
    'milliseconds outside platform',
    { 'memory/store/lesson.ts': 'export const now = Date.now;' },
    'memory/store/lesson.ts:1: clock: time comes from the injected Clock; only platform reads it',
  ],
  [
    'chance outside platform',
    { 'recall/ranking/rank.ts': 'export const noise = () => Math.random();' },
    'recall/ranking/rank.ts:1: random: ids and chance come from the injected Ids; only platform makes them',
  ],
  [
    'an id made outside platform',
    { 'memory/store/lesson.ts': 'export const id = () => crypto.randomUUID();' },
    'memory/store/lesson.ts:1: random: ids and chance come from the injected Ids; only platform makes them',
  ],
  [
    'a loop that yields in its own way',
    { 'memory/store/lesson.service.ts': `import { setImmediate as turn } from 'node:timers/promises';` },
    'memory/store/lesson.service.ts:1: setImmediate: long loops yield to the event loop through Yielder of platform/background',
  ],
  [
    'hand-written SQL outside repositories',
    { 'memory/store/lesson.service.ts': 'export const one = (tx) => tx.$queryRaw`SELECT 1`;' },
    'memory/store/lesson.service.ts:1: hand-written sql: SQL belongs into .repository.ts files and platform, as $queryRaw`…` or $executeRaw`…` of Statements',
  ],
  [
    'hand-written SQL outside repositories, under another name',
    { 'memory/store/lesson.service.ts': 'export const run = ({ $executeRaw: run }) => run;' },
    'memory/store/lesson.service.ts:1: hand-written sql: SQL belongs into .repository.ts files and platform, as $queryRaw`…` or $executeRaw`…` of Statements',
  ],
  [
    'a statement that is a text',
    { 'memory/store/memory.repository.ts': `export const all = (tx) => tx['$queryRawUnsafe']('SELECT 1');` },
    'memory/store/memory.repository.ts:1: sql from a string: a statement is a tagged template, never a string: values are sent separately',
  ],
  [
    'a part of a statement that is a text',
    { 'memory/store/memory.repository.ts': 'export const named = (name) => Prisma.raw(name);' },
    'memory/store/memory.repository.ts:1: sql fragment from a string: only platform/database builds SQL from names; repositories use Prisma.sql`…`',
  ],
  [
    'files that import each other in a circle',
    {
      'memory/store/a.ts': `import './b.js';`,
      'memory/store/b.ts': `import './c.js';`,
      'memory/store/c.ts': `import type { A } from './a.js';`,
    },
    'memory/store/a.ts: import cycle: memory/store/a.ts -> memory/store/b.ts -> memory/store/c.ts -> memory/store/a.ts',
  ],
  [
    'a chain of classes',
    {
      'client/a.ts': `export class A {}`,
      'client/b.ts': `import { A as First } from './a.js'; export class B extends First {} class E extends Error {}`,
      'client/c.ts': `import { B } from './b.js';\nexport class C extends B {}`,
      'client/c.spec.ts': `import { B } from './b.js'; class Double extends B {}`,
    },
    'client/c.ts:2: class chain C > B > A: extend one class of src at most, or add a reason to LONG_CLASS_CHAINS',
  ],
];

const ALLOWED: Tree = {
  'main.ts': `import './app.module.js';`,
  'app.module.ts': `import './console/console.module.js'; import './platform/base/clock.js';`,
  'platform/base/clock.ts': `import '@nestjs/common'; export const now = () => [new Date(), Date.now(), Math.random()];`,
  'platform/config/environment.ts': `export const port = process.env['PORT'];`,
  'platform/database/database.ts': `import 'pg'; import '@electric-sql/pglite'; import '../generated/prisma/client.js';`,
  'platform/generated/prisma/client.ts': `import '../../../nowhere.js'; export const at = Date.now();`,
  'untrusted/redaction/redact.ts': `// Date.now() and process.env in a comment\nexport const text = 'new Date() and Math.random()';`,
  'memory/store/lesson.ts': `export const at = (text: string) => [new Date(text), Date.parse(text)];`,
  'memory/store/lesson.schema.ts': `import 'zod';`,
  'memory/store/lesson.repository.ts': `import '../../platform/generated/prisma/client.js'; import '@prisma/client/runtime/client';`,
  'memory/store/lesson.service.ts': `import './lesson.repository.js'; import '../../untrusted/redaction/redact.js'; import 'node:fs';`,
  'memory/memory.module.ts': `import './store/lesson.service.js'; import './upkeep/age.js';`,
  'memory/upkeep/age.ts': `import '../store/lesson.js';`,
  'memory/store/lesson.spec.ts': `import '../upkeep/age.js';`,
  'memory/store/lesson.service.spec.ts': `import '../../../test/support/fake.js'; const at = new Date(); const id = crypto.randomUUID();`,
  'memory/store/org-memory.service.ts': `import './org-memory.repository.js';`,
  'memory/store/org-memory.repository.ts': '',
  'skills/publishing/publication-outbox.service.ts': '',
  'propose/model/model.proposer.ts': `import '@anthropic-ai/sdk';`,
  'capture/importers/claude-code.importer.ts': '',
  'approvals/proposals/approval.repository.ts': '',
  'approvals/decisions/approve.ts': `import '@nestjs/common'; import '../proposals/approval.repository.js'; import '../../memory/store/org-memory.service.js'; import '../../skills/publishing/publication-outbox.service.js';`,
  'approvals/decisions/approve.spec.ts': `import './approve.js';`,
  'console/console.module.ts': `import '../approvals/decisions/approve.js';`,
  'console/page.hbs': '<p>',
  'client/client.ts': `import '../memory/store/lesson.schema.js';`,
  'cli/main.ts': `import './commands/serve.js'; import '../client/client.js';`,
  'cli/machine/serve.ts': `import '../../app.module.js'; import '../../platform/config/config.js';`,
  'cli/machine/steps.ts': `import '../../main.js'; import 'node:fs';`,
  'cli/commands/import.ts': `import '../../capture/importers/claude-code.importer.js'; import '../../untrusted/redact.js';`,
};

const CIRCLES: Tree = {
  'memory/store/a.ts': `import './b.js'; import './c.js';`,
  'memory/store/b.ts': `import './c.js';`,
  'memory/store/c.ts': `import './a.js';`,
  'recall/index/x.ts': `import './y.js';`,
  'recall/index/y.ts': `import './x.js';`,
};

function check(...folders: string[]) {
  const args = ['scripts/check-boundaries.mjs', ...folders];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, lines: stderr.split('\n').filter((line) => line !== '') };
}

describe('the boundaries of the source', () => {
  let root: string;
  let reported: string[];

  // One run for all trees: starting the checker takes longer than checking.
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'guildbook-boundaries-'));
    const trees = [...VIOLATIONS.map(([, tree]) => tree), ALLOWED, CIRCLES];
    const folders = trees.map((tree, index) => write(tree, join(root, String(index))));
    reported = check(...folders).lines;
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const reportedIn = (index: number) => {
    const prefix = `${join(root, String(index))}/`;
    return reported.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  };

  it('hold in this repository', () => {
    expect(check('src')).toEqual({ status: 0, lines: [] });
  });

  it('allow what the architecture allows', () => {
    expect(reportedIn(VIOLATIONS.length)).toEqual([]);
    expect(check(join(root, String(VIOLATIONS.length))).status).toBe(0);
  });

  it.each(VIOLATIONS.map(([sentence, , line], index) => ({ sentence, line, index })))(
    'refuse $sentence',
    ({ line, index }) => {
      expect(reportedIn(index)).toEqual([line]);
    },
  );

  it('report each cycle once, by its shortest path', () => {
    expect(reportedIn(VIOLATIONS.length + 1).map((line) => line.split('cycle: ')[1])).toEqual([
      'memory/store/a.ts -> memory/store/c.ts -> memory/store/a.ts',
      'recall/index/x.ts -> recall/index/y.ts -> recall/index/x.ts',
    ]);
  });

  it('count names, literals and operators, and no comments', () => {
    const tokens = (text: string) => countTokens(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true));
    expect(tokens('const a = 1; // one\n/** Two. */\n')).toBe(5);
    expect(tokens('const path = /[/`"]+\\/ x/g; const half = a / b / c;')).toBe(5 + 9);
    // The two parts of a template, and the call between them.
    expect(tokens(['f(`a $', '{g({ b: 1 })} } c`);'].join(''))).toBe(2 + 2 + 8 + 2);
    expect(tokens('if (a >= b >> 1) x?.y ??= `z`;')).toBe(14);
    expect(tokens('let a: Map<string, Set<string>>;')).toBe(13);
  });

  it('refuse a source above its ceiling, and note one far below it', () => {
    expect(compareWeight(1_001, 1_000)).toMatchObject({ violation: expect.stringContaining('1 above the ceiling') });
    expect(compareWeight(1_000, 1_000)).toEqual({});
    expect(compareWeight(990, 1_000)).toEqual({});
    expect(compareWeight(989, 1_000)).toEqual({ note: expect.stringContaining('lower MAX_TOKENS') });
  });

  it('end in failure for a violation, and for a missing folder', () => {
    expect(check(join(root, '0')).status).toBe(1);
    expect(check(join(root, 'nowhere')).status).toBe(1);
  });
});

function write(tree: Tree, folder: string): string {
  for (const [file, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}
