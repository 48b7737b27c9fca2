import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { importFiles } from '../../src/cli/commands/import.js';
import { transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import { Guildbook, NoResponseError } from '../../src/client/guildbook.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import type { Skill } from '../../src/skills/catalogue/skills.schema.js';
import { BuiltProgram, type ServerProcess } from '../support/cli.js';
import { migratedFolder } from '../support/database.js';

// Every command is a separate process.
jest.setTimeout(180_000);

const FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');

/** Half of the sample fleet for each of two imports. All of it teaches three proposals. */
const HALVES = [
  ['checkout-api', 'data-exports', 'infra-live', 'invoice-worker', 'mobile-bff'],
  ['pricing-service', 'returns-portal', 'search-indexer', 'storefront-web', 'warehouse-sync'],
].map((agents) => agents.map((agent) => join(FLEET, agent)));

/** One program for all kills, because a start takes seconds. */
let program: BuiltProgram;
let server: ServerProcess;
let admin: Guildbook;
let port: string;
let gate: string;
let git: Record<string, string>;

beforeAll(async () => {
  program = await BuiltProgram.prepare();
  gate = join(program.folder, 'gate');
  git = { PATH: haltingGit(program.folder, gate) };
  server = await program.serve(git);
  admin = await server.administrator();
  port = new URL(server.url).port;
});
afterAll(() => program.remove());

const restart = async () => {
  server = await program.serve({ ...git, GUILDBOOK_PORT: port });
};

describe('a server that is killed', () => {
  /**
   * Returns the lessons once everything is captured. A payload that a killed process was proposing stays leased until
   * its lease ends.
   */
  const lessonsAfter = async (kills: number) => {
    for (;;) {
      const { awaitingCapture, awaitingProposal } = await admin.executions.status();
      if (awaitingCapture === 0 && awaitingProposal <= kills) return (await admin.lessons({ limit: 200 })).items;
      await sleep(50);
    }
  };

  it('during an import loses nothing and takes nothing twice', async () => {
    const calls = { made: 0 };
    const killing = killingClient(admin, calls, [2, 4], async () => {
      await server.stop('SIGKILL');
      await restart();
    });
    const files = await transcriptFiles(HALVES[0] ?? []);
    expect(await importFiles(killing, files, { agentPer: 'project' })).toMatchObject({ imported: 22, skipped: {} });
    // One request for each of five agents, and two of them again.
    expect(calls.made).toBe(7);

    expect((await admin.executions.status()).executions).toBe(22);
    const again = await importFiles(admin, files, { agentPer: 'project' });
    expect(again).toMatchObject({ imported: 22, new: 0, duplicates: 22 });
    const lessons = await lessonsAfter(2);
    expect(lessons.length).toBeGreaterThan(10);
    // One execution may teach several things, each once.
    const taught = lessons.map(({ sourceExecutionId, lesson }) => `${sourceExecutionId} ${lesson.discovery}`);
    expect(new Set(taught).size).toBe(lessons.length);
    expect(await admin.journal.verify()).toMatchObject({ intact: true });
    const { items } = await admin.journal.list({ action: 'execution.reported', limit: 500 });
    expect(items.length).toBe(22);
  });

  it('and stays down ends an import with instructions, and the same command then completes it', async () => {
    const calls = { made: 0 };
    const killing = killingClient(admin, calls, [3], async () => {
      await server.stop('SIGKILL');
    });
    const files = await transcriptFiles(HALVES[1] ?? []);
    await expect(importFiles(killing, files, { agentPer: 'project' })).rejects.toThrow('does not respond');
    await restart();
    const summary = await importFiles(admin, files, { agentPer: 'project' });
    expect({ imported: summary.imported, all: summary.new + summary.duplicates }).toEqual({ imported: 21, all: 21 });
    expect(summary.duplicates).toBeGreaterThanOrEqual(4);
  });
});

describe('a server that is killed between the decision and the publication', () => {
  beforeAll(async () => {
    await importFiles(admin, await transcriptFiles([FLEET]), { agentPer: 'project' });
    await admin.evolver.run(false);
  });

  it.each([
    ['before git has started', 'before'],
    ['after the commit, before its acknowledgement', 'after'],
  ] as const)('%s: has the skill in git after the next start, once', async (_when, hold) => {
    const earlier = (await admin.skills.list()).items.length;
    const [proposal] = (await admin.proposals.list()).items;
    writeFileSync(gate, hold);
    const approved = await admin.proposals.approve(proposal?.id ?? '', proposal?.artifactSha256 ?? '');
    while (!existsSync(`${gate}.reached`)) await sleep(20);
    expect((await admin.skills.show(approved.skillName)).publication.state).toBe('pending');
    expect(await server.stop('SIGKILL')).toBe('SIGKILL');

    rmSync(gate);
    rmSync(`${gate}.reached`);
    await restart();
    const published = await publication(admin, approved.skillName);
    expect(published.history).toHaveLength(1);
    expect(published.publication.commit).toBe(published.history[0]?.commit);
    const log = execFileSync('git', ['log', '--format=%H'], { cwd: program.skillsDir, encoding: 'utf8' });
    const commits = log.trim().split('\n');
    expect([commits[0], commits.length]).toEqual([published.publication.commit, earlier + 1]);
    const bytes = readFileSync(join(program.skillsDir, approved.skillName, 'SKILL.md'), 'utf8');
    expect(bytes).toBe(published.artifact);
    expect((await admin.journal.list({ action: 'skill.published' })).items).toHaveLength(earlier + 1);
    expect(await admin.journal.verify()).toMatchObject({ intact: true });
  });
});

describe('an invalid configuration', () => {
  it('with an unknown variable and wrong values starts nothing, and lists all problems at once', async () => {
    const program = await BuiltProgram.prepare({ isFirstStart: true });
    const wrong = { GUILDBOOK_POTR: '80', GUILDBOOK_EVOLVER_CRON: 'at noon', GUILDBOOK_APPROVAL_QUORUM: 'two' };
    try {
      const refused = await program.run(['serve'], wrong);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('Guildbook cannot start: Configuration is not valid:');
      expect(refused.stderr).toContain('GUILDBOOK_POTR: unknown setting; did you mean GUILDBOOK_PORT');
      expect(refused.stderr).toContain('GUILDBOOK_EVOLVER_CRON: must be auto, or a cron expression');
      expect(refused.stderr).toContain('GUILDBOOK_APPROVAL_QUORUM: must be a whole number from 1 to 20');
      expect(existsSync(program.dataDir)).toBe(false);
    } finally {
      await program.remove();
    }
  });
});

describe('a data folder', () => {
  it('is refused to a second server, and the first one continues', async () => {
    const program = await BuiltProgram.prepare();
    // Many servers may share one PostgreSQL. This test is about the embedded database, whichever database the run uses.
    const embedded = { DATABASE_URL: '' };
    try {
      const server = await program.serve(embedded);
      await expect(program.serve(embedded)).rejects.toThrow('is in use by another process');
      expect(await new Guildbook({ server: server.url }).health()).toMatchObject({ status: 'ready' });
      expect(await server.stop('SIGTERM')).toBe('SIGTERM');
      await program.serve(embedded);
    } finally {
      await program.remove();
    }
  });

  it('does not open with a migration that was edited since, and opens unharmed with the right one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'guildbook-migrations-'));
    const migrationsDir = join(folder, 'migrations');
    const options = { dataDir: join(folder, 'database'), migrationsDir };
    try {
      cpSync(MIGRATIONS, migrationsDir, { recursive: true });
      cpSync(await migratedFolder(), options.dataDir, { recursive: true });
      const [first] = readdirSync(migrationsDir).filter((name) => /^\d/.test(name));
      appendFileSync(join(migrationsDir, first ?? '', 'migration.sql'), '\n-- one more line\n');
      await expect(Database.open(options)).rejects.toThrow('was edited after this database applied it');
      const database = await Database.open({ ...options, migrationsDir: MIGRATIONS });
      expect(database.appliedMigrations).toEqual([]);
      await database.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Calls `kill` while the given requests (counted from 1) are in flight, and loses their responses. */
function killingClient(
  client: Guildbook,
  calls: { made: number },
  at: readonly number[],
  kill: () => Promise<void>,
): Guildbook {
  const reportAll: Guildbook['executions']['reportAll'] = async (...args) => {
    calls.made += 1;
    if (!at.includes(calls.made)) return client.executions.reportAll(...args);
    await Promise.allSettled([client.executions.reportAll(...args), kill()]);
    throw new NoResponseError('the server', 'unreachable', {});
  };
  // A client that differs only in this call.
  return Object.create(client, { executions: { value: { ...client.executions, reportAll } } }) as Guildbook;
}

/**
 * A search path whose git waits, while the file `gate` exists: before its work or after a commit landed, as that file
 * says. It ends with its server.
 */
function haltingGit(folder: string, gate: string): string {
  const file = join(folder, 'git');
  writeFileSync(
    file,
    `#!/bin/sh
PATH="\${PATH#*:}"
[ -e '${gate}' ] || exec git "$@"
halt() { touch '${gate}.reached'; while kill -0 $PPID 2>/dev/null; do sleep 0.05; done; exit 1; }
hold=$(cat '${gate}')
[ "$hold" = before ] && halt
git "$@"; status=$?
case "$hold $*" in 'after '*update-ref*) halt;; esac
exit $status
`,
  );
  chmodSync(file, 0o755);
  return `${folder}:${programPath()}`;
}

/** Returns the skill once it is published. */
async function publication(client: Guildbook, name: string): Promise<Skill> {
  for (;;) {
    const skill = await client.skills.show(name);
    if (skill.publication.state === 'published') return skill;
    await sleep(50);
  }
}
