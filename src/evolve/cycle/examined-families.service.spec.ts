import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import type { CandidateRow, StoredFamily } from './candidates.schema.js';
import { CycleRepository } from './cycle.repository.js';
import { CycleReport } from './cycles.schema.js';

const fingerprint = (n: number) => `sha256:${String(n).padStart(64, '0')}`;
const FAMILY = {
  fingerprint: fingerprint(1),
  signature: 'cannot open <path>',
  tools: ['shell'],
  actions: ['cat'],
  agents: 3,
  executions: 9,
  failures: 12,
};

function row(n: number, verdict: CandidateRow['verdict']): CandidateRow {
  const [followed, without] = [
    { worked: 1, n: 9 },
    { worked: 1, n: 8 },
  ];
  return {
    id: fingerprint(100 + n),
    family: FAMILY,
    how: 'replace',
    action: `tool-${n}`,
    words: [],
    predicate: { when: { action: 'cat' }, follow: [{ action: 'ls', notArgs: '-R' }, { action: 'find' }] },
    verdict,
    with: followed,
    without,
    because: 'refuted',
    findings: [],
    examined: 9,
    binding: { harness: 'h' },
    check: {
      verdict,
      split: 'origin',
      by: null,
      comparisons: [],
      seen: { with: followed, without },
      scope: { share: 1, n: 9 },
      withoutOneAgent: null,
      withoutOneHarness: null,
    },
  };
}

const STORED: StoredFamily = {
  family: FAMILY,
  dossier: {
    kind: 'failure',
    signature: 'cannot open <path>',
    failures: 12,
    executions: 9,
    examined: 20,
    agents: 3,
    origins: 9,
    harnesses: [],
    tools: [{ name: 'shell', n: 12 }],
    actions: [],
    recovered: 4,
    examples: [],
    environment: [],
  },
};

const report = (candidateList: readonly CandidateRow[]): CycleReport =>
  CycleReport.parse({
    window: { from: '2026-03-01T00:00:00Z', to: '2026-03-31T00:00:00Z' },
    executionsRead: 9,
    patterns: 1,
    families: 1,
    examined: 1,
    kept: 0,
    belowThreshold: 0,
    lowConfidence: 0,
    alreadyPending: 0,
    alreadyApproved: 0,
    rememberedRejections: 0,
    conflicts: 0,
    supersessions: 0,
    passing: 0,
    unwordable: 0,
    emitted: 0,
    heldBack: 0,
    excludedFailures: {},
    proposals: [],
    unsolved: [],
    candidateList,
    seconds: 1,
    tokens: 0,
  });

let app: TestApplication;
const cycles = new CycleRepository();

async function completed(candidateList: readonly CandidateRow[], families: readonly StoredFamily[], minute: number) {
  const id = randomUUID();
  const startedAt = new Date(Date.UTC(2026, 3, 1, 0, minute));
  await cycles.start(app.database.client, { id, trigger: 'request', dryRun: false, startedAt });
  await app.database.transaction((tx) =>
    cycles.complete(tx, id, { report: report(candidateList), families, at: startedAt }),
  );
  return id;
}

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

describe('what the newest cycle examined', () => {
  it('is empty before the first cycle', async () => {
    expect(await app.admin.evolver.candidates()).toEqual({ cycle: null, items: [], total: 0, next: null });
    expect(await app.admin.evolver.families()).toEqual({ cycle: null, items: [], total: 0, next: null });
  });

  it('is listed by verdict, page by page, with the predicate of each candidate', async () => {
    const rows = [row(1, 'undecided'), row(2, 'refuted'), row(3, 'refuted'), row(4, 'refuted')];
    await completed([row(9, 'refuted')], [], 1);
    const id = await completed(rows, [STORED], 2);
    const first = await app.admin.evolver.candidates({ verdict: 'refuted', limit: 2 });
    expect(first).toMatchObject({ cycle: { id }, total: 3, next: rows[2]?.id });
    expect(first.items).toEqual(rows.slice(1, 3));
    const second = await app.admin.evolver.candidates({ verdict: 'refuted', limit: 2, after: first.next ?? '' });
    expect(second).toMatchObject({ items: [{ id: rows[3]?.id }], next: null });
    expect((await app.admin.evolver.candidates({ after: fingerprint(5) })).items).toEqual([]);
    await expect(app.admin.evolver.candidates({ after: 'other' })).rejects.toThrow('sha256');
  });

  it('shows a family with its dossier and its candidates', async () => {
    expect((await app.admin.evolver.families()).items).toEqual([FAMILY]);
    const found = await app.admin.evolver.family(FAMILY.fingerprint);
    expect(found).toMatchObject({ ...STORED, proposals: [] });
    expect(found.candidates).toHaveLength(4);
    await expect(app.admin.evolver.family(fingerprint(7))).rejects.toThrow('has no family');
  });

  it('keeps the families of the newest cycle only, and the candidates of all', async () => {
    const id = await completed([], [], 3);
    expect(await app.admin.evolver.families()).toMatchObject({ cycle: { id }, items: [] });
    const [, before] = (await app.admin.evolver.reports()).items;
    expect(before?.report?.candidateList).toHaveLength(4);
    expect(await app.database.client.evolverCycle.count({ where: { NOT: { families: { equals: [] } } } })).toBe(0);
  });

  it('is refused to agents, whose calls it is about', async () => {
    const { client } = await app.agent('ada');
    await expect(client.evolver.candidates()).rejects.toThrow();
    await expect(client.evolver.families()).rejects.toThrow();
  });
});
