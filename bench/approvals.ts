/**
 * npm run bench:approvals [-- --database <url> --rounds 5 --proposals 200 --reviewers 20
 *   --queues 1000,100000]
 *
 * Decisions per second and their p99 on PostgreSQL: approvals as the server takes them (vote, proposal, org memory,
 * rollout, outbox and journal in one transaction), beside a bare compare-and-set of a single row over plain `pg` in the
 * same round (`ratio`), and beside that compare-and-set in a transaction as this application's verbs open one
 * (`transactionRatio`). Then page 1 of queues of several lengths. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Caller } from '../src/access/identity/caller.js';
import type { Proposal } from '../src/approvals/proposals/proposal.js';
import { MAX_COUNTED, ProposalQuery } from '../src/approvals/proposals/proposals.schema.js';
import { jobActor } from '../src/journal/actor.js';
import { benchServerUrl } from '../src/platform/config/environment.js';
import { Database } from '../src/platform/database/database.js';
import { testProposalInput } from '../test/support/proposal-input.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { wireServices } from '../test/support/wired-services.js';

const HELP = `npm run bench:approvals -- [options]
  --database <url>   a PostgreSQL server; a database is made on it and dropped (default: TEST_DATABASE_URL)
  --rounds <n>       rounds, each with both (default 5)
  --proposals <n>    decisions of a round (default 200)
  --reviewers <n>    decisions under way at once (default 20)
  --queues <n,n>     lengths of the queue whose page 1 is timed, rising (default 1000,100000)

Smallest run: --rounds 1 --proposals 20 --queues 50,100`;

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname;
const PAGES = 40;

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    proposals: { type: 'string', default: '200' },
    reviewers: { type: 'string', default: '20' },
    queues: { type: 'string', default: '1000,100000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const server = values.database ?? benchServerUrl();
if (server === undefined) {
  console.error('Give --database, or set TEST_DATABASE_URL: a PostgreSQL server.');
  process.exit(1);
}
const [rounds, each, reviewers] = [values.rounds, values.proposals, values.reviewers].map(Number);
const queues = values.queues.split(',').map(Number);
if (!(rounds && each && reviewers && queues.every((queue, at) => queue >= 20 && queue > (queues[at - 1] ?? 0)))) {
  console.error(HELP);
  process.exit(1);
}

interface Round {
  readonly perSecond: number;
  /** The duration of each in milliseconds. */
  readonly times: readonly number[];
}

/** Runs all of them, `atOnce` concurrently. */
async function timed<T>(work: readonly T[], atOnce: number, one: (of: T) => Promise<unknown>): Promise<Round> {
  const left = [...work];
  const times: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const at = performance.now();
        await one(next);
        times.push(performance.now() - at);
      }
    }),
  );
  return { perSecond: (1_000 * work.length) / (performance.now() - began), times };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const settingOf = async (database: Database, name: string): Promise<string> => {
  const [row] = await database.client.$queryRaw<{ setting: string }[]>`
    SELECT current_setting(${name}) AS "setting"`;
  return row?.setting ?? '';
};

const scratch = await createDatabaseOn(server);
const database = await Database.open({ url: scratch.url, migrationsDir: MIGRATIONS });
const pool = new pg.Pool({ connectionString: scratch.url, max: 10 });
try {
  const parts = await wireServices(database);
  const reviewer = await parts.reviewer('Ada Reviewer');
  const approveProposal = parts.approveProposal({ wake: () => {} });
  let made = 0;

  const submit = async (): Promise<Proposal> => {
    made += 1;
    // Distinct words, so that no proposal is the near-duplicate of another.
    const { id } = await parts.submitProposal.submit(
      jobActor('bench'),
      testProposalInput(`Number${made} of${made} decisions${made}`),
    );
    const proposal = await parts.items.find(database.client, id);
    if (!proposal) throw new Error('the proposal is gone');
    return proposal;
  };
  const decide = async (proposal: Proposal): Promise<void> => {
    const { state } = await approveProposal.approve(reviewer, proposal.id, proposal.artifactSha256);
    if (state !== 'approved') throw new Error(`a proposal is ${state}`);
  };
  await pool.query('CREATE TABLE bare (id uuid PRIMARY KEY, state text NOT NULL, sha256 text NOT NULL)');
  const compareAndSet = async (client: { id: string; sha256: string }): Promise<void> => {
    const { rowCount } = await pool.query({
      name: 'compare and set',
      text: `UPDATE bare SET state = 'approved' WHERE id = $1 AND state = 'pending' AND sha256 = $2`,
      values: [client.id, client.sha256],
    });
    if (rowCount !== 1) throw new Error('a row was not there');
  };
  const inTransaction = async ({ id, sha256 }: { id: string; sha256: string }): Promise<void> => {
    const changed = await database.transaction(
      (tx) =>
        tx.$executeRaw`UPDATE bare SET state = 'approved' WHERE id = ${id}::uuid AND state = 'pending' AND sha256 = ${sha256}`,
    );
    if (changed !== 1) throw new Error('a row was not there');
  };
  const bareRows = async (): Promise<{ id: string; sha256: string }[]> => {
    const { rows } = await pool.query(
      `INSERT INTO bare SELECT gen_random_uuid(), 'pending', md5(n::text) FROM generate_series(1, $1::int) n
       RETURNING id, sha256`,
      [each],
    );
    return rows;
  };

  const ours: Round[] = [];
  const bare: Round[] = [];
  const inside: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const proposals: Proposal[] = [];
    for (let n = 0; n < each; n += 1) proposals.push(await submit());
    const one = await timed(await bareRows(), reviewers, compareAndSet);
    const other = await timed(proposals, reviewers, decide);
    const third = await timed(await bareRows(), reviewers, inTransaction);
    console.log(
      `${round === 0 ? 'warm-up' : `round ${round}`}: ${digits(other.perSecond)} decisions, ${digits(one.perSecond)} bare compare-and-sets and ${digits(third.perSecond)} in a transaction a second`,
    );
    if (round === 0) {
      // A server's autovacuum would do it within a minute, which is longer than this run.
      await database.client.$executeRaw`ANALYZE`;
      continue;
    }
    bare.push(one);
    inside.push(third);
    ours.push(other);
  }
  const published = await database.client.publication.count();
  const journalled = await database.client.journalEntry.count({ where: { action: 'proposal.approved' } });
  if (published !== made || journalled !== made) throw new Error(`${made} decisions, ${published} in the outbox`);

  const pages: number[] = [];
  const reader: Caller = {
    ...reviewer,
    credentialId: reviewer.id,
    kind: 'person',
    owner: null,
    role: null,
    department: null,
    isReviewer: true,
    isAdmin: false,
    scopes: [],
    expiresAt: null,
  };
  const template = await submit();
  for (const queue of queues) {
    await database.client.$executeRaw`
      INSERT INTO "proposal" SELECT (jsonb_populate_record(i, jsonb_build_object(
        'id', gen_random_uuid(), 'cluster', gen_random_uuid(), 'fingerprint', 'of number ' || n || ' of ' || ${queue}::int, 'impact', n % 997))).*
      FROM "proposal" i, generate_series(1, ${queue}::int - (SELECT count(*) FROM "proposal" WHERE "state" = 'pending')) n
      WHERE i."id" = ${template.id}::uuid`;
    await database.client.$executeRaw`ANALYZE "proposal"`;
    const query = ProposalQuery.parse({ limit: 20 });
    const page = await parts.views.list(reader, query);
    if (page.total !== Math.min(queue, MAX_COUNTED) || page.items.length !== 20)
      throw new Error(`${page.total} proposals of ${queue}`);
    const { times } = await timed(
      Array.from({ length: PAGES }, (_, n) => n),
      1,
      () => parts.views.list(reader, query),
    );
    pages.push(quantile(times, 0.5));
    console.log(`page 1 of ${queue} proposals: ${digits(quantile(times, 0.5))} ms`);
  }

  const median = (of: readonly Round[]) =>
    quantile(
      of.map(({ perSecond }) => perSecond),
      0.5,
    );
  const p99 = (of: readonly Round[]) =>
    quantile(
      of.flatMap(({ times }) => times),
      0.99,
    );
  const result = {
    ratio: median(ours) / median(bare),
    decisionsPerSecond: median(ours),
    p99Ms: p99(ours),
    comparePerSecond: median(bare),
    compareP99Ms: p99(bare),
    transactionRatio: median(ours) / median(inside),
    comparePerSecondInTransaction: median(inside),
    listingRatio: (pages.at(-1) ?? Number.NaN) / (pages[0] ?? Number.NaN),
    listingMs: Object.fromEntries(queues.map((queue, at) => [queue, pages[at]])),
    reviewers,
    fsync: await settingOf(database, 'fsync'),
    synchronousCommit: await settingOf(database, 'synchronous_commit'),
  };
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)));
} finally {
  await pool.end();
  await database.close();
  await scratch.drop();
}
