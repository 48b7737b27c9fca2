import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { LocalEmbedder } from '../src/recall/embedding/local-embedder.strategy.js';
import type { Find } from './recall-peers.js';
import type { BenchMemory } from './recall-texts.js';

/** Too large for our dependencies. The benchmark installs these versions into a given folder. */
const PACKAGES = {
  '@langchain/core': '1.4.0',
  '@langchain/langgraph-checkpoint': '1.2.2',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  mem0ai: '3.3.1',
};
const RESULT_LIMIT = 10;
const WRITES = 20;

export interface InstalledPeer {
  readonly name: string;
  /** Makes twenty parallel writes and returns how many are stored. */
  readonly countKept: () => Promise<number>;
  readonly find: Find;
  readonly close: () => Promise<void>;
}
export type Open = (memories: readonly BenchMemory[]) => Promise<InstalledPeer>;

const textOf = ({ discovery, condition, action, rationale }: BenchMemory): string =>
  [discovery, condition, action, rationale].join(' ');
const added = (n: number): string => `zeppelin number ${n}`;
const each = (work: (n: number) => Promise<unknown>) => Promise.all(Array.from({ length: WRITES }, (_, n) => work(n)));

/** Our embedder in LangChain's interface, so that only the stores differ. */
const embedder = new LocalEmbedder();
const embeddings = {
  embedDocuments: async (texts: string[]) => (await embedder.embed(texts)).map((vector) => [...vector]),
  embedQuery: async (text: string) => [...((await embedder.embed([text]))[0] ?? [])],
};

/** Installs missing packages. Throws if the registry is unreachable. */
export function installPeers(folder: string): Record<string, Open> {
  mkdirSync(folder, { recursive: true });
  if (!Object.keys(PACKAGES).every((name) => existsSync(join(folder, 'node_modules', name)))) {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
    npm('install', '--no-audit', '--no-fund', '--ignore-scripts');
    // mem0's vector store is native. This is the only install script that runs; it builds the store if necessary.
    npm('rebuild', 'better-sqlite3');
  }
  const file = (path: string) => join(folder, 'node_modules', path);
  return {
    'server-memory': (memories) =>
      openServerMemory(file('@modelcontextprotocol/server-memory/dist/index.js'), memories),
    langgraph: (memories) => openLangGraph(file('@langchain/langgraph-checkpoint/dist/index.js'), memories),
    mem0: (memories) => openMem0(file('mem0ai/dist/oss/index.mjs'), memories),
  };
}

/** Stores a file of JSON lines and reads it for every call. It searches for substrings, so the query is one word. */
async function openServerMemory(program: string, memories: readonly BenchMemory[]): Promise<InstalledPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-'));
  const path = join(folder, 'memory.jsonl');
  const entity = (name: string, text: string) => ({ name, entityType: 'lesson', observations: [text] });
  const lines = memories.map((memory) => JSON.stringify({ type: 'entity', ...entity(memory.id, textOf(memory)) }));
  writeFileSync(path, lines.join('\n'));
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], env: { MEMORY_FILE_PATH: path } }),
  );
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } });
  return {
    name: 'server-memory',
    find: (query) => call('search_nodes', { query: query.split(' ')[0] ?? '' }),
    countKept: async () => {
      await each((n) => call('create_entities', { entities: [entity(added(n), added(n))] }));
      return countOf(await call('search_nodes', { query: 'zeppelin' }));
    },
    close: async () => {
      await client.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const countOf = (answer: unknown): number =>
  new Set(JSON.stringify(answer).match(/zeppelin number \d{1,2}/g) ?? []).size;

interface Store {
  put(namespace: string[], key: string, value: object): Promise<void>;
  search(namespace: string[], options: object): Promise<unknown[]>;
}

async function openLangGraph(program: string, memories: readonly BenchMemory[]): Promise<InstalledPeer> {
  // The package has no types here. The exports follow its documentation.
  const { InMemoryStore } = (await import(pathToFileURL(program).href)) as { InMemoryStore: new (o: object) => Store };
  const store = new InMemoryStore({ index: { dims: 512, embeddings, fields: ['text'] } });
  const space = ['memories'];
  for (const memory of memories) await store.put(space, memory.id, { text: textOf(memory) });
  const search = (query: string, limit: number) => store.search(space, { query, limit });
  return {
    name: 'langgraph',
    find: (query) => search(query, RESULT_LIMIT),
    countKept: async () => {
      await each((n) => store.put(space, added(n), { text: added(n) }));
      return countOf(await search('zeppelin number', 10 * WRITES));
    },
    close: async () => {},
  };
}

interface Mem0 {
  add(messages: object[], options: object): Promise<unknown>;
  search(query: string, options: object): Promise<unknown>;
}

async function openMem0(program: string, memories: readonly BenchMemory[]): Promise<InstalledPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-'));
  // It reports every use to its makers unless it is configured not to, and keeps files in the home folder.
  Object.assign(process.env, { MEM0_TELEMETRY: 'false', MEM0_DIR: folder, HOME: folder });
  // The package has no types here, as above.
  const { Memory } = (await import(pathToFileURL(program).href)) as { Memory: new (o: object) => Mem0 };
  const memory = new Memory({
    embedder: { provider: 'langchain', config: { model: embeddings } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'bench', dimension: 512, dbPath: join(folder, 'v.db') },
    },
    llm: { provider: 'langchain', config: { model: { invoke: async () => ({ content: '{}' }) } } },
    disableHistory: true,
  });
  const add = (text: string) => memory.add([{ role: 'user', content: text }], { userId: 'bench', infer: false });
  for (const one of memories) await add(textOf(one));
  const search = (query: string, topK: number) => memory.search(query, { filters: { user_id: 'bench' }, topK });
  return {
    name: 'mem0',
    find: (query) => search(query, RESULT_LIMIT),
    countKept: async () => {
      await each((n) => add(added(n)));
      return countOf(await search('zeppelin number', 10 * WRITES));
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
