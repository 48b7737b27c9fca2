/**
 * The architecture as data. docs/architecture.md explains it; change both in one commit.
 * Paths are relative to the source folder and end in .ts. Packages are named as in their imports.
 */

/**
 * The folders and their rooms, in order. A folder imports only folders above it; a room imports only rooms of its folder
 * above it. The root of a folder with rooms holds its modules and main controllers, which wire the rooms; no room imports
 * them. A folder without rooms is one room. There are no exceptions.
 */
export const HOUSE = [
  {
    folder: 'platform',
    rooms: ['base', 'start', 'config', 'telemetry', 'database', 'background', 'otlp', 'http', 'health'],
  },
  { folder: 'untrusted', rooms: ['shell', 'danger', 'text', 'redaction'] },
  { folder: 'journal', rooms: [] },
  { folder: 'access', rooms: ['identity', 'sign-in'] },
  { folder: 'learning', rooms: ['calls', 'recoveries', 'patterns', 'lessons'] },
  { folder: 'evidence', rooms: ['calls', 'predicate', 'gates'] },
  { folder: 'memory', rooms: ['store', 'provenance', 'lessons', 'upkeep'] },
  { folder: 'skills', rooms: ['document', 'delivery', 'git', 'publishing', 'catalogue'] },
  {
    folder: 'capture',
    rooms: [
      'errors',
      'report',
      'actions',
      'observations',
      'store',
      'analysis',
      'intake',
      'importers',
      'transcripts',
      'trajectories',
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
    rooms: ['texts', 'proposals', 'voting', 'queue', 'submissions', 'external', 'decisions', 'upkeep'],
  },
  {
    folder: 'evolve',
    rooms: [
      'statistics',
      'support',
      'evidence',
      'dossiers',
      'cases',
      'examination',
      'claims',
      'drafts',
      'wording',
      'window',
      'cycle',
    ],
  },
  { folder: 'effect', rooms: [] },
  { folder: 'promote', rooms: [] },
  { folder: 'recall', rooms: ['ranking', 'embedding', 'index', 'search', 'strategies', 'gate'] },
  { folder: 'tuning', rooms: ['learning', 'checkpoints', 'runs'] },
  { folder: 'sessions', rooms: ['entries', 'store', 'summaries'] },
  { folder: 'consolidate', rooms: [] },
  { folder: 'retention', rooms: [] },
  { folder: 'hooks', rooms: [] },
  { folder: 'mcp', rooms: [] },
  {
    folder: 'console',
    rooms: ['frame', 'today', 'review', 'skills', 'activity', 'memory', 'settings', 'sign-in'],
  },
  { folder: 'operations', rooms: ['rows', 'backup'] },
];

/** Maximum of source files in a room, without specs. A larger room holds two ideas. */
export const MAX_FILES_OF_A_ROOM = 20;

/**
 * Maximum of tokens in src: TypeScript without specs and generated code, without white space and comments. Lines would
 * mislead, because formatting changes them. A feature raises it by at most what its issue names, and its commit says so.
 */
export const MAX_TOKENS = 904_506;

/**
 * Classes of src, as `file#Name`, that may extend a class of src which itself extends one, with the reason. Such a chain
 * usually divides one class to stay under a limit of lines; a longer file is better.
 */
export const LONG_CLASS_CHAINS = {};

/** Suffixes of the files at the root of a folder with rooms. */
export const ROOT_SUFFIXES = ['module', 'controller'];

/** Folders outside the list: no folder in it imports them, and they import only what APART_MAY_IMPORT names. */
export const APART_HOUSE = [
  { folder: 'client', rooms: [] },
  { folder: 'session-stores', rooms: [] },
  {
    folder: 'cli',
    rooms: ['terminal', 'sources', 'server', 'access', 'connect', 'commands', 'machine', 'program'],
  },
];
export const APART = APART_HOUSE.map(({ folder }) => folder);
export const ORDER = HOUSE.map(({ folder }) => folder);

const PURE_FILE = /\/[^./]+\.ts$/;
const SCHEMA_FILE = /\.schema\.ts$/;

/** By folder: its files may import that folder and every target that one of `allows` accepts. */
export const APART_MAY_IMPORT = {
  client: { allows: [(target) => SCHEMA_FILE.test(target)], reason: 'the client imports only .schema files' },
  'session-stores': {
    allows: [
      (target) => target.startsWith('sessions/entries/') || target.startsWith('client/'),
      (target) => /^sessions\//.test(target) && SCHEMA_FILE.test(target),
      (target) => /^(untrusted|platform\/base)\//.test(target) && PURE_FILE.test(target),
    ],
    reason: 'session stores import the entries of sessions, the client, and pure files of untrusted and platform/base',
  },
  cli: {
    allows: [
      (target) => target.startsWith('client/') || target.startsWith('session-stores/'),
      (target) => SCHEMA_FILE.test(target) || target.endsWith('.importer.ts'),
      (target) => /^(untrusted|journal|evidence|capture|platform)\//.test(target) && PURE_FILE.test(target),
      // The errors of invalid settings and of a session memory have exit statuses of their own.
      (target) => ['platform/config/config.errors.ts', 'sessions/entries/session-memory.errors.ts'].includes(target),
      (target) => target.startsWith('operations/'),
    ],
    reason:
      'the command line imports the client, session stores, operations, .schema and .importer files, and pure files of untrusted, journal, evidence, capture and platform',
  },
};

/** Files directly in the source folder wire the application; only commands that start it import them. */
export const STARTS_THE_APPLICATION = /^cli\/machine\//;

/** Commands that work on the server's own machine, without HTTP. */
const MACHINE_COMMANDS = /^cli\/machine\//;

/** Scripts that are served to the browser unchanged. They belong to no module and import nothing. */
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
  'table',
  'proposer',
  'importer',
  'view',
  'pipe',
  'filter',
  'module',
  'thread',
  'spec',
];

/** A folder with a vague name collects unrelated files, and import cycles with them. */
export const VAGUE_FOLDERS = ['utils', 'helpers', 'common', 'shared'];

const isRepositoryOrPlatform = (file) => /\.repository(\.spec)?\.ts$/.test(file) || file.startsWith('platform/');
const isIn =
  (...folders) =>
  (file) =>
    folders.includes(file.split('/')[0]);

/** Imports that are reserved even where the order allows them: `allowedIn` selects the files that may use them. */
export const RESERVED_IMPORTS = [
  {
    target: /\.repository\.ts$/,
    allowedIn: (file, target) => file.split('/')[0] === target.split('/')[0],
    reason: 'a repository is private to its folder',
  },
  {
    target: /^memory\/store\/org-memory/,
    allowedIn: isIn('memory', 'approvals'),
    reason: 'org memory is written only by an approval',
  },
  {
    target: /^skills\/publishing\/publication-outbox/,
    allowedIn: isIn('skills', 'approvals'),
    reason: 'only an approval puts a skill into the outbox',
  },
  {
    target: /^operations\//,
    allowedIn: (file) => isIn('operations')(file) || MACHINE_COMMANDS.test(file),
    reason: "only the commands on the server's machine work on whole databases",
  },
  { target: /^openid-client(\/|$)/, allowedIn: isIn('access'), reason: 'only access talks to an identity provider' },
  { target: /^@anthropic-ai\/sdk(\/|$)/, allowedIn: isIn('propose'), reason: 'only propose talks to a model' },
  {
    target: /^(@prisma\/|platform\/generated\/)/,
    allowedIn: isRepositoryOrPlatform,
    reason: 'only .repository.ts files and platform know Prisma',
  },
  {
    target: /^(pg|@electric-sql\/pglite)(\/|$)/,
    allowedIn: isIn('platform'),
    reason: 'only platform opens a database',
  },
];

/**
 * In these rooms a file without a suffix is a verb: one class that authorises, writes and journals in one transaction,
 * with its spec beside it. It may use the framework and repositories.
 */
export const VERB_ROOMS = {
  rooms: ['approvals/submissions', 'approvals/decisions', 'approvals/upkeep'],
  needsSpec: 'a verb has its spec beside it',
  target: /^(node:)?(fs(\/|$)|child_process$)/,
  reason: 'a verb reaches the file system and processes through a service',
};

/** Imports that a pure file (without a suffix) may not have. The folders in `exceptIn` and the verbs are exempt. */
export const PURE_FILES = {
  exceptIn: ['platform', ...APART],
  target:
    /^(@nestjs\/|(node:)?fs(\/|$)|(node:)?child_process$|pg$|@electric-sql\/|@prisma\/|platform\/generated\/|.*\.repository\.ts$)/,
  reason: 'a file without a suffix is pure: no framework, file system, process or database',
};

/** Reserved uses, by the name under which boundaries/source.mjs reports them. */
export const RESERVED_USES = {
  'process.env': {
    allowedIn: (file) => file === 'platform/config/environment.ts',
    reason: 'only platform/config/environment.ts reads the environment',
  },
  clock: {
    allowedIn: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    reason: 'time comes from the injected Clock; only platform reads it',
  },
  random: {
    allowedIn: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    reason: 'ids and chance come from the injected Ids; only platform makes them',
  },
  'hand-written sql': {
    allowedIn: (file) => isRepositoryOrPlatform(file) || file.endsWith('.spec.ts'),
    reason: 'SQL belongs into .repository.ts files and platform, as $queryRaw`…` or $executeRaw`…` of Statements',
  },
  'sql from a string': {
    allowedIn: (file) => file.endsWith('.spec.ts'),
    reason: 'a statement is a tagged template, never a string: values are sent separately',
  },
  'sql fragment from a string': {
    allowedIn: (file) => isIn('platform')(file) || file.endsWith('.spec.ts'),
    reason: 'only platform/database builds SQL from names; repositories use Prisma.sql`…`',
  },
  setImmediate: {
    allowedIn: (file) => file === 'platform/background/yielder.ts' || file.endsWith('.spec.ts'),
    reason: 'long loops yield to the event loop through Yielder of platform/background',
  },
  'computed import': {
    allowedIn: () => false,
    reason: 'the boundaries of an import with a computed path cannot be checked',
  },
};
