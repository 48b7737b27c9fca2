/**
 * The architecture as data; docs/architecture.md says why. Change both in one commit.
 * Paths are relative to the source folder and end in .ts; packages stand as they are imported.
 */

/** A folder imports only folders above it. There are no exceptions. */
export const ORDER = [
  'platform',
  'untrusted',
  'journal',
  'access',
  'memory',
  'skills',
  'capture',
  'propose',
  'webhooks',
  'approvals',
  'evolve',
  'promote',
  'recall',
  'mcp',
  'console',
];

/** They stand apart from the list: nobody in the list imports them, and they take only what is named in APART_MAY_IMPORT. */
export const APART = ['client', 'cli'];

const PURE_FILE = /\/[^./]+\.ts$/;
const SCHEMA_FILE = /\.schema\.ts$/;

/** The file is in the folder `by`; it may import its own folder and every target for which one of `takes` holds. */
export const APART_MAY_IMPORT = {
  client: { takes: [(target) => SCHEMA_FILE.test(target)], says: 'the client imports only .schema files' },
  cli: {
    takes: [
      (target) => target.startsWith('client/'),
      (target) => SCHEMA_FILE.test(target) || target.endsWith('.importer.ts'),
      (target) => /^(untrusted|journal|capture|platform)\//.test(target) && PURE_FILE.test(target),
    ],
    says: 'the command line imports the client, .schema and .importer files, and pure files of untrusted, journal, capture and platform',
  },
};

/** Files directly in the source folder wire everything; only the two commands that start the application import them. */
export const STARTS_THE_APPLICATION = /^cli\/commands\/(serve|demo)/;

/** Scripts for the browser, served as they stand: they are of no module, and so import nothing. */
export const BROWSER_SCRIPTS = /^console\/assets\/[a-z-]+\.js$/;

export const SUFFIXES = [
  'schema',
  'errors',
  'service',
  'repository',
  'controller',
  'guard',
  'decorator',
  'job',
  'strategy',
  'proposer',
  'importer',
  'view',
  'pipe',
  'filter',
  'module',
  'spec',
];

/** A folder without an idea of its own collects what does not belong together, and cycles with it. */
export const VAGUE_FOLDERS = ['utils', 'helpers', 'common', 'shared'];

const isRepositoryOrPlatform = (file) => /\.repository(\.spec)?\.ts$/.test(file) || file.startsWith('platform/');
const isIn =
  (...folders) =>
  (file) =>
    folders.includes(file.split('/')[0]);

/** Imports that are reserved, wherever the order would allow them: `for` names the files that may. */
export const RESERVED_IMPORTS = [
  {
    target: /\.repository\.ts$/,
    for: (file, target) => file.split('/')[0] === target.split('/')[0],
    because: 'a repository is private to its folder',
  },
  {
    target: /^memory\/org-memory/,
    for: isIn('memory', 'approvals'),
    because: 'org memory is written only by an approval',
  },
  {
    target: /^skills\/publication-outbox/,
    for: isIn('skills', 'approvals'),
    because: 'only an approval puts a skill into the outbox',
  },
  { target: /^openid-client(\/|$)/, for: isIn('access'), because: 'only access talks to an identity provider' },
  { target: /^@anthropic-ai\/sdk(\/|$)/, for: isIn('propose'), because: 'only propose talks to a model' },
  {
    target: /^(@prisma\/|platform\/generated\/)/,
    for: isRepositoryOrPlatform,
    because: 'only .repository.ts files and platform know Prisma',
  },
  {
    target: /^(pg|@electric-sql\/pglite)(\/|$)/,
    for: isIn('platform'),
    because: 'only platform opens a database',
  },
];

/** What a file without a suffix may not import: it is pure. The folders named here are not held to it. */
export const PURE_FILES = {
  exceptIn: ['platform', ...APART],
  target:
    /^(@nestjs\/|(node:)?fs(\/|$)|(node:)?child_process$|pg$|@electric-sql\/|@prisma\/|platform\/generated\/|.*\.repository\.ts$)/,
  because: 'a file without a suffix is pure: no framework, file system, process or database',
};

/** Sources of surprise, by the name under which boundaries/source.mjs reports them. */
export const RESERVED_USES = {
  'process.env': {
    for: (file) => file === 'platform/config.ts',
    because: 'only platform/config.ts reads the environment',
  },
  clock: {
    for: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    because: 'time comes from the injected Clock; only platform reads it',
  },
  random: {
    for: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    because: 'ids and chance come from the injected Ids; only platform makes them',
  },
  'computed import': {
    for: () => false,
    because: 'the boundaries of an import with a computed path cannot be checked',
  },
};
