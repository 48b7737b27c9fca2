import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProposalDetails, ProposalQuery } from '../../src/approvals/proposals/proposals.schema.js';
import { originOf } from '../../src/capture/intake/executions.service.js';
import type { ExecutionEnvironment, ToolCall } from '../../src/capture/report/execution-report.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import type { CandidateRow } from '../../src/evolve/cycle/candidates.schema.js';
import { halfOf } from '../../src/evolve/evidence/halves.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { pythonReport } from '../support/fleet.js';
import { run, SYNTAX_ERROR } from '../support/reports.js';

const AGENTS = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay', 'gus'];
const PYTHON = [run('python manage.py check', SYNTAX_ERROR), run('python3 manage.py check')];
const PYTHON_27: ExecutionEnvironment = {
  harness: 'harness-a',
  interpreters: [{ name: 'python', version: '2.7.18' }],
};
const STALE = run('forge build site.cfg', 'forge: error: the lock file is stale');
const FORGE = [...Array.from({ length: 6 }, () => STALE), run('forge build --fresh site.cfg')];
const BUSY = run('sync books', 'Error: the remote of the books is busy');
/** What looks like a remedy, and what later executions say: waiting is of no use, and the same call works again. */
const WAITED = [BUSY, BUSY, run('sync --wait books')];
const REPEATED = [BUSY, run('sync books'), run('sync --wait books', 'Error: the remote of the books is busy')];
const HOOK = run('git commit -m totals', 'error: the pre-commit hook failed: totals.js is not formatted');
const SKIPPED = [HOOK, HOOK, run('git commit --no-verify -m totals')];

let app: TestApplication;
let agents: Guildbook[];
let tasks: number;
beforeEach(async () => {
  app = await startTestApplication();
  agents = [];
  for (const name of AGENTS) agents.push((await app.agent(name, `team of ${name}`)).client);
  tasks = 0;
});
afterEach(() => app.close());

interface Work {
  readonly calls: readonly ToolCall[];
  readonly of: number;
  readonly environment?: ExecutionEnvironment;
  /** Only tasks of this half of the origins. */
  readonly half?: 'a' | 'b';
}

/** Reports `of` executions of separate tasks, by the agents in turn. */
async function reported({ calls, of, environment, half }: Work): Promise<void> {
  for (let n = 0; n < of; tasks += 1) {
    const report = pythonReport(app, `number ${tasks}`);
    if (half !== undefined && halfOf(originOf(report)) !== half) continue;
    const place = environment ? { environment: { project: `project-${tasks}`, ...environment } } : {};
    await agents[n % agents.length]?.executions.report({ ...report, ...place, toolCalls: [...calls] });
    n += 1;
  }
  await app.settled();
}

const cycle = async () => {
  const { report } = await app.admin.evolver.run(false);
  if (!report) throw new Error('the cycle has no report');
  return report;
};

/** The proposals in the order of the queue. */
async function queued(query: Partial<ProposalQuery> = {}): Promise<ProposalDetails[]> {
  const { items } = await app.admin.proposals.list(query);
  return Promise.all(items.map(({ id }) => app.admin.proposals.show(id)));
}

async function onlyQueued(): Promise<ProposalDetails> {
  const [proposal, ...others] = await queued();
  if (!proposal || others.length > 0) throw new Error(`${others.length} other proposals`);
  return proposal;
}

/** The candidates about a failure. */
async function candidatesAbout(error: string): Promise<CandidateRow[]> {
  const { items } = await app.admin.evolver.candidates({ limit: 100 });
  return items.filter(({ family }) => family.signature.includes(error));
}

describe('a fleet that reports over REST', () => {
  it('gets a confirmed lesson with its pair, dossier, predicate and binding before an observed one', async () => {
    await reported({ calls: PYTHON, of: 28, environment: PYTHON_27 });
    await reported({ calls: FORGE, of: 7 });
    await cycle();
    const [confirmed, observed, ...others] = await queued();
    expect(others).toEqual([]);
    expect([confirmed, observed]).toMatchObject([{ verdict: 'confirmed' }, { verdict: 'observed' }]);
    expect(observed?.title).toContain('--fresh');
    expect(observed?.impact).toBeGreaterThan(confirmed?.impact ?? 0);

    const { check, dossier } = confirmed?.evidence ?? {};
    const deciding = check?.comparisons.find(({ kind }) => kind === check.by);
    if (!check || !deciding) throw new Error('no comparison decides');
    expect(deciding).toMatchObject({ verdict: 'confirmed', with: { worked: deciding.with.n }, without: { worked: 0 } });
    // Both halves of the tasks taught it, and the executions of each count for what the other one taught.
    expect(deciding.with.n).toBe(check.seen.with.n);
    expect(check).toMatchObject({ split: 'origin', seen: { with: { worked: 28, n: 28 } } });
    const { worked, n } = deciding.with;
    expect(confirmed?.checkWords[0]).toContain(
      `with it ${worked} of ${n} worked, without it 0 of ${deciding.without.n}, in executions of other tasks`,
    );
    expect(check.withoutOneAgent?.of).toBeGreaterThan(3);
    expect(confirmed?.predicateWords.join('\n')).toMatch(/`python manage[\s\S]*SyntaxError[\s\S]*`python3 manage/);
    expect(dossier).toMatchObject({ kind: 'failure', agents: 7, executions: 28, recovered: 28 });
    expect(dossier?.examples[0]).toMatchObject({ failed: { call: { call: 'python manage.py check' } } });
    const binding = { harness: 'harness-a', environment: [{ name: 'python', value: '2.7.18' }] };
    expect(confirmed).toMatchObject({ binding, proposedSkill: { binding } });
    expect(confirmed?.artifact).toContain('Seen only in harness-a, with python 2.7.18');
    expect(await queued({ verdict: 'observed' })).toHaveLength(1);
  });

  it('gets no lesson that other executions refute, and can read its predicate and the reason', async () => {
    await reported({ calls: WAITED, of: 12, half: 'a' });
    await reported({ calls: REPEATED, of: 18, half: 'b' });
    const report = await cycle();
    expect(report).toMatchObject({ emitted: 0 });
    const [candidate, ...others] = await candidatesAbout('the remote of the books is busy');
    expect(others).toEqual([]);
    expect(candidate).toMatchObject({
      verdict: 'refuted',
      because: 'refuted',
      with: { worked: 0, n: 18 },
      without: { worked: 18, n: 18 },
    });
    expect(candidate?.words.join('\n')).toContain('--wait');
    expect(await app.admin.evolver.candidates({ verdict: 'refuted' })).toMatchObject({ total: 1 });
    expect(await queued()).toEqual([]);
  });

  it('loses a pending proposal once later executions refute its lesson, with the reason', async () => {
    await reported({ calls: WAITED, of: 12, half: 'a' });
    await cycle();
    const pending = await onlyQueued();
    expect(pending).toMatchObject({ verdict: 'observed', evidence: { check: { seen: { with: { worked: 12 } } } } });
    await reported({ calls: REPEATED, of: 18, half: 'b' });
    await cycle();
    expect(await app.admin.proposals.show(pending.id)).toMatchObject({ state: 'withdrawn' });
    const { items } = await app.admin.journal.list({ action: 'proposal.withdrawn' });
    expect(items).toMatchObject([
      {
        actor: { kind: 'job', name: 'evolver' },
        subject: { id: pending.id },
        data: { reason: 'refuted by later executions: with it 0 of 18 worked, without it 18 of 18' },
      },
    ]);
    expect(await cycle()).toMatchObject({ emitted: 0 });
  });

  it('gets no lesson whose remedy only skips a check', async () => {
    await reported({ calls: SKIPPED, of: 28 });
    const report = await cycle();
    expect(report).toMatchObject({ emitted: 0, onlySkipped: [{ action: 'git commit' }] });
    expect((await candidatesAbout('pre-commit')).filter(({ because }) => because === null)).toEqual([]);
    expect(await queued()).toEqual([]);
  });
});

describe('a lesson that one harness showed', () => {
  it('is bound to it, and gets a proposal that widens it once a second harness confirms it', async () => {
    await reported({ calls: PYTHON, of: 28, environment: { harness: 'harness-a' } });
    await cycle();
    const first = await onlyQueued();
    expect(first).toMatchObject({ kind: 'new_skill', binding: { harness: 'harness-a' }, widens: [] });
    await app.admin.proposals.approve(first.id, first.artifactSha256);

    await reported({ calls: PYTHON, of: 1, environment: { harness: 'harness-b' } });
    expect(await cycle()).toMatchObject({ emitted: 0, alreadyApproved: 1 });

    await reported({ calls: PYTHON, of: 28, environment: { harness: 'harness-b' } });
    expect(await cycle()).toMatchObject({ emitted: 1 });
    const wider = await onlyQueued();
    expect(wider).toMatchObject({
      kind: 'supersede',
      skillName: first.skillName,
      binding: null,
      verdict: 'confirmed',
      widens: [{ part: 'harness', was: 'harness-a', now: null }],
      evidence: { check: { withoutOneHarness: { confirmed: 2, of: 2 } } },
    });
    expect(wider.artifact).not.toContain('Seen only');
    // The approved bytes stay until a person approves the wider ones.
    const live = await app.admin.skills.show(first.skillName);
    expect(live.artifact).toBe(first.artifact);
    await app.admin.proposals.approve(wider.id, wider.artifactSha256);
    expect(await cycle()).toMatchObject({ emitted: 0, alreadyApproved: 1 });
  });

  it('needs a new decision after a change of its binding or its predicate', async () => {
    await reported({ calls: PYTHON, of: 28, environment: { harness: 'harness-a' } });
    await cycle();
    const read = await onlyQueued();
    const { proposedSkill, ...rest } = read;
    const { binding: _, ...unbound } = proposedSkill;
    const edited = await app.admin.proposals.edit(rest.id, {
      artifactSha256: rest.artifactSha256,
      proposedSkill: unbound,
    });
    expect(edited.artifactSha256).not.toBe(read.artifactSha256);
    const changed = { problem: { status: 409, code: 'proposal.artifact_changed' } };
    await expect(app.admin.proposals.approve(read.id, read.artifactSha256)).rejects.toMatchObject(changed);
    const narrower = { ...unbound, predicate: { ...unbound.predicate, within: 2 } };
    await app.admin.proposals.edit(read.id, { artifactSha256: edited.artifactSha256, proposedSkill: narrower });
    await expect(app.admin.proposals.approve(read.id, edited.artifactSha256)).rejects.toMatchObject(changed);
  });
});

describe('private lessons about a failure', () => {
  it('count as witnesses of a proposal, by number alone', async () => {
    // The window of the cycle does not reach back to these executions; the lessons of their agents remain.
    await app.close();
    app = await startTestApplication({ GUILDBOOK_EVOLVER_WINDOW_DAYS: '1' });
    agents = [];
    for (const name of AGENTS) agents.push((await app.agent(name, `team of ${name}`)).client);
    const invited = await app.admin.people.add({ name: 'Rev', email: 'rev@example.org', reviewer: true, admin: true });
    const { signInToken = '' } = await app.client().signIn(invited.token);
    for (const [name, action] of [
      ['hana', 'python3 manage.py check'],
      ['ivo', 'pypy manage.py check'],
    ] as const) {
      const { client } = await app.agent(name, `team of ${name}`);
      const toolCalls = [run('python manage.py check', SYNTAX_ERROR), run(action)];
      await client.executions.report({ ...pythonReport(app, `own ${name}`), toolCalls });
    }
    await app.settled();
    app.clock.advance(2 * DAY_MS);
    const { token } = await app.client().signIn(signInToken);
    const admin = app.client(token);
    await reported({ calls: PYTHON, of: 28 });
    await admin.evolver.run(false);
    const [item] = (await admin.proposals.list()).items;
    const proposal = await admin.proposals.show(item?.id ?? '');
    expect(proposal.evidence).toMatchObject({ agents: 7, witnesses: { agents: 9, remedies: 8 } });
    expect(JSON.stringify(proposal)).not.toMatch(/hana|ivo/);
  });
});
