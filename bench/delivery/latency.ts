import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jobActor } from '../../src/journal/actor.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { SkillList } from '../../src/skills/catalogue/skills.schema.js';
import { BuiltServer } from '../../test/attacks/built-server.js';
import { checkedEvidence } from '../../test/support/checked-proposal.js';
import { testProposalInput } from '../../test/support/proposal-input.js';
import { wireServices } from '../../test/support/wired-services.js';

/** Milliseconds of one answer to a failed call, beside an idle route in the same run. */
export interface Latency {
  readonly skills: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly idleP50Ms: number;
  readonly idleP99Ms: number;
}

/**
 * Starts the built server on an empty embedded database, has a person approve that many skills, and measures so many answers
 * over HTTP in turn with the idle route, after everything is published. A fifth as many come first and are not counted:
 * they wait until all of the new skills are read, and run code that is not compiled yet.
 */
export async function measureLatency(
  skills: number,
  calls: number,
  progress: (text: string) => void,
): Promise<Latency> {
  const warmUp = Math.ceil(calls / 5);
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-delivery-'));
  const server = new BuiltServer({
    folder,
    databaseUrl: undefined,
    settings: { GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000' },
  });
  try {
    await server.start();
    await server.stop();
    await submitSkills(server.dataDir, skills);
    await server.start();
    await approveAll(server, progress);
    const token = await server.agent('Ada');
    progress(`measuring ${calls} answers`);
    const [answers, idle]: [number[], number[]] = [[], []];
    for (let n = 0; n < warmUp + calls; n += 1) {
      const own = await timed(() => failure(server.url, token, n, n % skills, n >= warmUp));
      const other = await timed(() => health(server.url));
      if (n < warmUp) continue;
      answers.push(own);
      idle.push(other);
    }
    return {
      skills,
      p50Ms: quantile(answers, 0.5),
      p99Ms: quantile(answers, 0.99),
      idleP50Ms: quantile(idle, 0.5),
      idleP99Ms: quantile(idle, 0.99),
    };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function submitSkills(dataDir: string, skills: number): Promise<void> {
  const database = await Database.open({ dataDir, migrationsDir: join(PROJECT_ROOT, 'prisma', 'migrations') });
  try {
    const { submitProposal } = await wireServices(database);
    for (let n = 0; n < skills; n += 1) {
      const predicate = {
        when: { tool: 'shell', args: `\\btool${n}\\b`, error: 'unknown option' },
        follow: { tool: 'shell', args: `\\bother${n}\\b` },
      };
      const input = testProposalInput(`Write other${n} instead of tool${n}`, { predicate, action: `Write other${n}.` });
      const evidence = { ...input.evidence, ...checkedEvidence('confirmed') };
      await submitProposal.submit(jobActor('bench'), { ...input, evidence });
    }
  } finally {
    await database.close();
  }
}

const Pending = z.object({ items: z.array(z.object({ id: z.string(), artifactSha256: z.string() })) });

async function approveAll(server: BuiltServer, progress: (text: string) => void): Promise<void> {
  const reviewer = await server.reviewer('Rosa Reviewer');
  for (let approved = 0; ; ) {
    const page = await server.call('GET', '/v1/proposals?state=pending&limit=100', { token: reviewer });
    const { items } = Pending.parse(page.body);
    if (items.length === 0) break;
    for (const { id, artifactSha256 } of items) {
      const body = { artifactSha256 };
      const { status } = await server.call('POST', `/v1/proposals/${id}/approve`, { token: reviewer, body });
      if (status !== 200) throw new Error(`the approval was refused: ${status}`);
    }
    approved += items.length;
    progress(`${approved} skills approved`);
  }
  const isPublished = async (): Promise<boolean> => {
    const { body } = await server.call('GET', '/v1/skills', { token: server.adminToken });
    return SkillList.parse(body).items.every(({ publication }) => publication.state === 'published');
  };
  while (!(await isPublished())) await sleep(500);
}

async function failure(url: string, token: string, n: number, skill: number, isSure: boolean): Promise<void> {
  const response = await fetch(`${url}/v1/hooks/claude-code/PostToolUseFailure`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      session_id: `session ${n}`,
      cwd: '/home/ada/shop',
      tool_name: 'Bash',
      tool_use_id: `call ${n}`,
      tool_input: { command: `tool${skill} --all` },
      error: `Exit code 2\ntool${skill}: unknown option --all`,
    }),
  });
  const text = await response.text();
  if (isSure && !text.includes(`other${skill}`))
    throw new Error(`no advice for skill ${skill}: ${response.status} ${text}`);
}

const health = async (url: string): Promise<void> => {
  await (await fetch(`${url}/healthz`)).text();
};

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 100) / 100;
}
