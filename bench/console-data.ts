import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { renderArtifact } from '../src/approvals/proposals/artifact.js';
import type { Proposal } from '../src/approvals/proposals/proposal.js';
import { jobActor } from '../src/journal/actor.js';
import { programPath } from '../src/platform/config/environment.js';
import { Database } from '../src/platform/database/database.js';
import { testProposalInput } from '../test/support/proposal-input.js';
import { wireServices } from '../test/support/wired-services.js';
import { primeRepository, publicationOf, recordRepository } from './primed-repository.js';

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname;
const SEED = 7;
/** Slightly longer than the longest interval of the jobs. */
const ROUND_MS = 65_000;
const LOOK_MS = 3_000;
const QUIET_MS = 180_000;
/** From so many transactions per check on, the server is busy. */
const BUSY = 60;
const TABLES = ['proposal', 'proposal_decision', 'memory', 'publication'];

/**
 * Fills a database and a repository as years of use would: `skills` live skills with decision, publication and commit,
 * `proposals` pending proposals, and a rejected one for the pattern of each. The rows are copies of two proposals,
 * written with the gate's triggers disabled, which are enabled again afterwards.
 */
export async function seedConsole(url: string, skillsDir: string, skills: number, proposals: number): Promise<void> {
  await primeRepository(skillsDir, skills, SEED);
  const database = await Database.open({ url, migrationsDir: MIGRATIONS });
  let approved: Proposal;
  let pending: Proposal;
  try {
    const parts = await wireServices(database);
    const reviewer = await parts.reviewer('Ada Reviewer');
    const submit = async (title: string): Promise<Proposal> => {
      const { id } = await parts.submitProposal.submit(jobActor('bench'), testProposalInput(title));
      const proposal = await parts.items.find(database.client, id);
      if (!proposal) throw new Error('the proposal is gone');
      return proposal;
    };
    approved = await submit('the template of all skills');
    await parts.approveProposal({ wake: () => {} }).approve(reviewer, approved.id, approved.artifactSha256);
    pending = await submit('the template of all pending proposals');
  } finally {
    await database.close();
  }
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    for (const table of TABLES) await pool.query(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
    await copySkills(pool, approved.id, skillsDir, skills);
    await copyProposals(pool, pending, proposals);
    await rejectCopies(pool, pending);
    for (const table of TABLES) await pool.query(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
    await recordRepository(skillsDir, (statement, ...values) => pool.query(statement, values));
    await pool.query('ANALYZE');
  } finally {
    await pool.end();
  }
}

/** Copies the template for each skill of the repository, and removes the template. */
async function copySkills(pool: pg.Pool, templateId: string, skillsDir: string, skills: number): Promise<void> {
  const commits = commitsOf(skillsDir);
  const rows = Array.from({ length: skills }, (_, n) => {
    const { message, bytes, when } = publicationOf(SEED, n);
    const { name, proposalId, artifactSha256, journal } = message.facts;
    const commit = commits.get(name);
    if (commit === undefined) throw new Error(`${name} has no commit`);
    return {
      name,
      approval: proposalId,
      sha: artifactSha256,
      bytes,
      at: when,
      seq: journal.seq,
      hash: journal.hash,
      commit,
    };
  });
  const template = [templateId];
  await pool.query(
    'CREATE TEMP TABLE made AS SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(name text, approval uuid, sha text, bytes text, at timestamptz, seq bigint, hash text, commit text)',
    [JSON.stringify(rows)],
  );
  await pool.query(
    `INSERT INTO proposal SELECT (jsonb_populate_record(i, jsonb_build_object('id', m.approval, 'cluster', m.approval,
       'fingerprint', m.sha, 'fingerprints', jsonb_build_array(m.sha), 'skill_name', m.name, 'artifact', m.bytes,
       'artifact_sha256', m.sha, 'created_at', m.at, 'updated_at', m.at, 'decided_at', m.at))).*
     FROM proposal i, made m WHERE i.id = $1`,
    template,
  );
  await pool.query(
    `INSERT INTO memory SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'skill_name', m.name,
       'proposal_id', m.approval, 'content_sha256', m.sha, 'created_at', m.at))).*
     FROM memory e, made m WHERE e.proposal_id = $1`,
    template,
  );
  await pool.query(
    `INSERT INTO publication SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'skill_name', m.name,
       'proposal_id', m.approval, 'artifact', m.bytes, 'artifact_sha256', m.sha, 'decided_at', m.at, 'journal_seq', m.seq,
       'journal_hash', m.hash, 'state', 'published', 'commit', m.commit, 'published_at', m.at))).*
     FROM publication p, made m WHERE p.proposal_id = $1`,
    template,
  );
  // The template itself is not in git.
  for (const table of ['publication', 'memory'])
    await pool.query(`DELETE FROM "${table}" WHERE proposal_id = $1`, template);
}

/** Copies the template. Each copy is rendered with its own id and name, because the server checks that at its start. */
async function copyProposals(pool: pg.Pool, template: Proposal, proposals: number): Promise<void> {
  const rows = Array.from({ length: proposals - 1 }, (_, n) => {
    const [id, skillName] = [randomUUID(), `${template.skillName}-${n + 2}`];
    const { bytes, sha256 } = renderArtifact(
      { proposalId: id, skillName, version: 1 },
      template.proposedSkill,
      template.evidence,
    );
    return { id, name: skillName, bytes, sha: sha256, impact: n % 997 };
  });
  await pool.query(
    `INSERT INTO proposal SELECT (jsonb_populate_record(i, jsonb_build_object('id', r.id, 'cluster', r.id,
       'fingerprint', r.sha, 'fingerprints', jsonb_build_array(r.sha), 'skill_name', r.name, 'artifact', r.bytes, 'artifact_sha256', r.sha, 'impact', r.impact))).*
     FROM proposal i, jsonb_to_recordset($2::jsonb) AS r(id uuid, name text, bytes text, sha text, impact int)
     WHERE i.id = $1`,
    [template.id, JSON.stringify(rows)],
  );
}

/** Adds an earlier, rejected copy of each pending proposal. */
async function rejectCopies(pool: pg.Pool, template: Proposal): Promise<void> {
  const when = new Date(template.createdAt.getTime() - 86_400_000);
  await pool.query(
    `INSERT INTO proposal SELECT (jsonb_populate_record(i, jsonb_build_object('id', n.id, 'cluster', n.id,
       'state', 'rejected', 'created_at', $1::timestamptz, 'updated_at', $1::timestamptz, 'decided_at', $1::timestamptz))).*
     FROM proposal i, LATERAL (SELECT gen_random_uuid() AS id WHERE i.id IS NOT NULL) n WHERE i.state = 'pending'`,
    [when],
  );
  await pool.query(
    `INSERT INTO proposal_decision (id, proposal_id, revision, artifact_sha256, principal_id, verdict, reason, votes_needed, decided_at)
     SELECT gen_random_uuid(), i.id, i.revision, i.artifact_sha256, p.id, 'rejected', 'not for everybody', i.votes_needed, i.decided_at
     FROM proposal i, principal p WHERE i.state = 'rejected' AND p.name = 'Ada Reviewer'`,
  );
}

/** Skill → the commit that published it. */
function commitsOf(folder: string): Map<string, string> {
  const said = execFileSync('git', ['-C', folder, 'log', '--format=%H %s', 'main'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { PATH: programPath() },
  });
  return new Map(
    said.split('\n').flatMap((line) => {
      const [, commit = '', name = ''] = line.match(/^([0-9a-f]{40}) Publish (\S+) v1$/) ?? [];
      return name === '' ? [] : [[name, commit] as const];
    }),
  );
}

/**
 * Waits until a server has finished its work after a start: every job has run once, and few transactions end between
 * two checks. Waits at most `QUIET_MS`.
 */
export async function quiet(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const ended = async (): Promise<number> => {
    const { rows } = await pool.query(
      'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.n);
  };
  try {
    await sleep(ROUND_MS);
    const deadline = performance.now() + QUIET_MS;
    for (let before = await ended(); performance.now() < deadline; ) {
      await sleep(LOOK_MS);
      const now = await ended();
      if (now - before < BUSY) return;
      before = now;
    }
    console.log('the server is still busy: the figures include its background work');
  } finally {
    await pool.end();
  }
}
