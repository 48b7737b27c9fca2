import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import type { Guildbook } from '../../src/client/guildbook.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { programPath } from '../../src/platform/config/environment.js';
import { leftovers } from './killed-server.js';
import type { Ledger } from './ledger.js';

/** The faults found, each described in one line. */
export interface Faults {
  readonly missing: string[];
  readonly doubled: string[];
  readonly staleLocks: string[];
  readonly fsck: string[];
  readonly other: string[];
}

export const noFaults = (): Faults => ({ missing: [], doubled: [], staleLocks: [], fsck: [], other: [] });

function git(folder: string, ...args: string[]): string {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  return execFileSync('git', ['-C', folder, '--no-optional-locks', ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** The commit of `main`; empty before the first. */
export function headOf(skillsDir: string): string {
  return git(skillsDir, 'for-each-ref', '--format=%(objectname)', 'refs/heads/main');
}

/** True if folder and index are those of `main`. A folder that follows gets its commit first. */
export function isCheckedOut(skillsDir: string): boolean {
  return git(skillsDir, 'status', '--porcelain') === '';
}

/** Compares git, folder, org memory and journal with the decisions, after the server has settled. */
export async function check(
  skillsDir: string,
  client: Guildbook,
  ledger: Ledger,
  confirmed: ReadonlySet<string>,
): Promise<Faults> {
  const faults = noFaults();
  commitsOf(skillsDir, ledger, confirmed, faults);
  const live = ledger.live;
  filesOf(skillsDir, live, faults);
  faults.staleLocks.push(...leftovers(join(skillsDir, '.git')));
  faults.fsck.push(...fsck(skillsDir));
  const status = git(skillsDir, 'status', '--porcelain');
  if (status !== '') faults.other.push(`folder, index and main differ:\n${status}`);
  const memory = new Map((await client.skills.list()).items.map(({ name, artifactSha256 }) => [name, artifactSha256]));
  for (const name of new Set([...memory.keys(), ...live.keys()]))
    if (memory.get(name) !== live.get(name)) faults.other.push(`org memory and journal disagree about ${name}`);
  const { total } = await client.proposals.list({ state: 'approved', limit: 1 });
  if (total !== ledger.decisions.length)
    faults.missing.push(`${total} approved proposals, ${ledger.decisions.length} decisions`);
  const { intact, firstBroken } = await client.journal.verify();
  if (!intact) faults.other.push(`the journal is broken: ${JSON.stringify(firstBroken)}`);
  return faults;
}

function commitsOf(skillsDir: string, ledger: Ledger, confirmed: ReadonlySet<string>, faults: Faults): void {
  const commits = new Map<string, string[]>();
  const format = '--format=%H %(trailers:key=Guildbook-Approval,valueonly,separator=%x2C)';
  // After an early kill there may be no main branch yet.
  for (const line of git(skillsDir, 'log', format, '--branches', '--').split('\n').filter(Boolean)) {
    const [commit = '', approval = ''] = line.split(' ');
    commits.set(approval, [...(commits.get(approval) ?? []), commit]);
  }
  const decided = new Set(ledger.decisions.map(({ proposalId }) => proposalId));
  for (const id of confirmed)
    if (!decided.has(id)) faults.missing.push(`proposal ${id} was approved with success, but has no decision`);
  for (const { proposalId, name } of ledger.decisions) {
    const made = commits.get(proposalId) ?? [];
    const acknowledged = ledger.acknowledged.get(proposalId) ?? [];
    if (made.length === 0) faults.missing.push(`proposal ${proposalId} of ${name} has no commit`);
    if (made.length > 1) faults.doubled.push(`proposal ${proposalId} of ${name} has ${made.length} commits`);
    if (acknowledged.length > 1) faults.doubled.push(`proposal ${proposalId} of ${name} was acknowledged twice`);
    if (made[0] !== acknowledged[0])
      faults.other.push(`proposal ${proposalId} of ${name} is journalled with another commit`);
    commits.delete(proposalId);
  }
  for (const [approval, ids] of commits) faults.other.push(`commit ${ids[0]} belongs to no decision (${approval})`);
}

function filesOf(skillsDir: string, live: ReadonlyMap<string, string>, faults: Faults): void {
  const inGit = new Set(
    git(skillsDir, 'ls-files')
      .split('\n')
      .flatMap((path) => (path.endsWith('/SKILL.md') ? [path.slice(0, -'/SKILL.md'.length)] : [])),
  );
  const folders = readdirSync(skillsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  for (const name of new Set([...inGit, ...folders]))
    if (!live.has(name)) faults.other.push(`${name} is retired, but still published`);
  for (const [name, wanted] of live) {
    if (!inGit.has(name)) faults.missing.push(`${name} is not in git`);
    if (!folders.includes(name)) faults.missing.push(`${name} is not in the folder`);
    else if (sha256(readFileSync(join(skillsDir, name, 'SKILL.md'), 'utf8')) !== wanted)
      faults.other.push(`the file of ${name} differs from the approved one`);
  }
}

/**
 * The errors of `git fsck`. It reads the list of packs once and fails if the server repacks meanwhile; then it is
 * repeated.
 */
function fsck(skillsDir: string): readonly string[] {
  for (;;) {
    const before = packsOf(skillsDir);
    try {
      git(skillsDir, 'fsck', '--full', '--strict', '--no-dangling');
      return [];
    } catch (error) {
      if (packsOf(skillsDir) === before) return [String(error)];
    }
  }
}

function packsOf(skillsDir: string): string {
  return readdirSync(join(skillsDir, '.git/objects/pack')).sort().join('\n');
}
