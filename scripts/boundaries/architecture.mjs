/**
 * The architecture as data; docs/architecture.md says why. Change both in one commit.
 * Paths are relative to the source folder and end in .ts; packages stand as they are imported.
 */

/**
 * The house, in order. A folder imports only folders above it; a room imports only rooms of its folder above it. At the
 * root of a folder with rooms lie its modules and main controllers, which wire the rooms: no room imports them.
 * A folder without rooms is one room. There are no exceptions.
 */
export const HOUSE = [
  { folder: 'platform', rooms: ['base', 'config', 'database', 'background', 'http', 'telemetry'] },
  { folder: 'untrusted', rooms: ['text', 'redaction'] },
  { folder: 'journal', rooms: [] },
  { folder: 'access', rooms: ['identity', 'sign-in'] },
  { folder: 'memory', rooms: ['store', 'provenance', 'lessons', 'upkeep'] },
  { folder: 'skills', rooms: ['document', 'delivery', 'git', 'publishing', 'catalogue'] },
  {
    folder: 'capture',
    rooms: [
      'report',
      'actions',
      'errors',
      'observations',
      'store',
      'analysis',
      'intake',
      'importers',
      'traces',
      'hook-events',
      'gathering',
      'formats',
    ],
  },
  { folder: 'propose', rooms: ['model', 'spending', 'questions', 'lessons', 'usage'] },
  { folder: 'webhooks', rooms: [] },
  {
    folder: 'approvals',
    rooms: ['proposals', 'contradictions', 'voting', 'queue', 'submissions', 'external', 'decisions', 'upkeep'],
  },
  {
    folder: 'evolve',
    rooms: ['statistics', 'evidence', 'patterns', 'claims', 'drafts', 'backtest', 'wording', 'cycle'],
  },
  { folder: 'effect', rooms: [] },
  { folder: 'promote', rooms: [] },
  { folder: 'recall', rooms: ['ranking', 'embedding', 'index', 'search', 'strategies', 'gate'] },
  { folder: 'mcp', rooms: [] },
  {
    folder: 'console',
    rooms: ['texts', 'frame', 'today', 'review', 'skills', 'activity', 'memory', 'settings', 'sign-in'],
  },
];

/** Source files of a room at most; specs do not count. A room with more holds two ideas. */
export const MOST_FILES_OF_A_ROOM = 20;

/** What lies at the root of a folder with rooms. */
export const ROOT_SUFFIXES = ['module', 'controller'];

/** They stand apart from the list: no folder in it imports them, and they take only what is named in APART_MAY_IMPORT. */
export const APART_HOUSE = [
  { folder: 'client', rooms: [] },
  { folder: 'cli', rooms: ['terminal', 'server', 'commands', 'demo'] },
];
export const APART = APART_HOUSE.map(({ folder }) => folder);
export const ORDER = HOUSE.map(({ folder }) => folder);

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
export const STARTS_THE_APPLICATION = /^cli\/(?:commands\/serve\.|demo\/)/;

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
    target: /^memory\/store\/org-memory/,
    for: isIn('memory', 'approvals'),
    because: 'org memory is written only by an approval',
  },
  {
    target: /^skills\/publishing\/publication-outbox/,
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

/**
 * In these rooms a file without a suffix is a verb: one class that authorises, writes and journals in one transaction, with
 * its spec beside it. It may use the framework and repositories.
 */
export const VERB_ROOMS = {
  rooms: ['approvals/submissions', 'approvals/decisions', 'approvals/upkeep'],
  needsSpec: 'a verb has its spec beside it',
  target: /^(node:)?(fs(\/|$)|child_process$)/,
  because: 'a verb reaches the file system and processes through a service',
};

/** What a file without a suffix may not import: it is pure. The folders named here are not held to it, nor are verbs. */
export const PURE_FILES = {
  exceptIn: ['platform', ...APART],
  target:
    /^(@nestjs\/|(node:)?fs(\/|$)|(node:)?child_process$|pg$|@electric-sql\/|@prisma\/|platform\/generated\/|.*\.repository\.ts$)/,
  because: 'a file without a suffix is pure: no framework, file system, process or database',
};

/** Sources of surprise, by the name under which boundaries/source.mjs reports them. */
export const RESERVED_USES = {
  'process.env': {
    for: (file) => file === 'platform/config/environment.ts',
    because: 'only platform/config/environment.ts reads the environment',
  },
  clock: {
    for: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    because: 'time comes from the injected Clock; only platform reads it',
  },
  random: {
    for: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    because: 'ids and chance come from the injected Ids; only platform makes them',
  },
  'sql by hand': {
    for: (file) => isRepositoryOrPlatform(file) || file.endsWith('.spec.ts'),
    because: 'SQL stands in .repository.ts files and platform, as $queryRaw`…` or $executeRaw`…` of Statements',
  },
  'sql as text': {
    for: (file) => file.endsWith('.spec.ts'),
    because: 'a statement is a tagged template, never a text: values are sent apart from it',
  },
  'sql fragment as text': {
    for: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    because: 'only platform/database makes SQL of names; repositories use Prisma.sql`…`',
  },
  setImmediate: {
    for: (file) => file === 'platform/background/yielder.ts' || file.endsWith('.spec.ts'),
    because: 'long loops give the event loop its turns by Yielder of platform/background',
  },
  'computed import': {
    for: () => false,
    because: 'the boundaries of an import with a computed path cannot be checked',
  },
};
