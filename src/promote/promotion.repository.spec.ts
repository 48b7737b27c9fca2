import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { GateRows } from '../../test/support/gate-rows.js';
import { verifiedByPerson } from '../../test/support/memories.js';
import { PromotionRepository } from './promotion.repository.js';

const NOON = new Date('2026-03-31T12:00:00Z');
const minute = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);

describe('the promotion queue', () => {
  const repository = new PromotionRepository();
  let opened: TestDatabase;
  let rows: GateRows;
  let agent: string;

  beforeAll(async () => {
    opened = await openTestDatabase();
    rows = new GateRows(opened.database);
    agent = await rows.principal('agent');
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  async function memory(more: object = {}): Promise<string> {
    const row = rows.memory({ scope: 'agent', agent_id: agent, ...more });
    await rows.insert('memory', row);
    return String(row['id']);
  }
  const tx = () => opened.database.client;

  it('enrols private, live, unverified memories, and originals instead of copies, once each', async () => {
    const original = await memory({ relevance_count: 1 });
    const never = [
      await memory({ propagated_from_id: original, agent_id: await rows.principal('agent') }),
      await memory({ superseded_at: NOON }),
      await memory(),
      await memory({ awaiting_proposer: true }),
    ];
    await verifiedByPerson(opened.database, never[2] ?? '');
    await rows.insert('memory', rows.orgMemory(await rows.approved()));
    expect(await repository.enrol(tx(), new Date(0), NOON, 100)).toBe(1);
    expect(await repository.enrol(tx(), new Date(0), NOON, 100)).toBe(0);
    expect(await repository.due(tx(), NOON, 100)).toEqual([original]);
    // A retrieved copy schedules its original; nothing else is scheduled by that.
    await repository.scheduleCheck(tx(), never, 'retrieval', minute(1), minute(1));
    expect(await repository.find(tx(), original)).toMatchObject({ trigger: 'retrieval' });
    expect(await repository.due(tx(), minute(1), 100)).toEqual([original]);
  });

  it('returns requests of people first, then the most retrieved, then the most confident', async () => {
    const hot = await memory({ relevance_count: 9, confidence: 0.1 });
    const sure = await memory({ relevance_count: 5, confidence: 0.99 });
    const unsure = await memory({ relevance_count: 5, confidence: 0.2 });
    const asked = await memory({ confidence: 0 });
    await repository.enrol(tx(), new Date(0), NOON, 100);
    await repository.scheduleForPerson(tx(), asked, NOON);
    expect(await repository.due(tx(), NOON, 4)).toEqual([asked, hot, sure, unsure]);
    expect(await repository.due(tx(), NOON, 1)).toEqual([asked]);
  });

  it('leases a check to one worker, and refuses the conclusion of an expired lease', async () => {
    const id = await memory();
    await repository.enrol(tx(), new Date(0), NOON, 100);
    const take = (now: Date, until: Date) => repository.takeLease(tx(), id, randomUUID(), now, until);
    const first = await take(NOON, minute(10));
    expect(await take(minute(5), minute(15))).toBeUndefined();
    const second = await take(minute(11), minute(21));
    if (!first || !second) throw new Error('no lease was given');
    const outcome = { state: 'verified', because: 'person', promotedBy: 'person', attempts: 0 } as const;
    const conclude = (lease: typeof first) =>
      repository.conclude(tx(), lease, { ...outcome, checkedAt: minute(12), dueAt: minute(99) });
    expect(await conclude(first)).toBe(false);
    expect(await conclude(second)).toBe(true);
    expect(await conclude(second)).toBe(false);
  });

  it('does not reschedule a recent or a running check', async () => {
    const id = await memory();
    await repository.enrol(tx(), new Date(0), NOON, 100);
    const lease = await repository.takeLease(tx(), id, randomUUID(), NOON, minute(10));
    if (!lease) throw new Error('no lease was given');
    expect(await repository.scheduleCheck(tx(), [id], 'retrieval', minute(1), minute(1))).toBe(0);
    const outcome = { state: 'unresolved', because: 'no_evidence', promotedBy: null, attempts: 1 } as const;
    await repository.conclude(tx(), lease, { ...outcome, checkedAt: minute(2), dueAt: minute(60) });
    expect(await repository.scheduleCheck(tx(), [id], 'retrieval', minute(3), NOON)).toBe(0);
    expect(await repository.scheduleCheck(tx(), [id], 'retrieval', minute(3), minute(3))).toBe(1);
    expect(await repository.due(tx(), minute(3), 100)).toContain(id);
  });

  it('makes a memory due when an execution with its failure arrives; after fruitless checks in a row, less soon', async () => {
    const pattern = '0123456789abcdef';
    const keys = { failure_key: `sha256:${pattern}${'0'.repeat(48)}`, remedy_key: 'none', proposer: 'rules/1' };
    const unresolved = async (more: object, { attempts = 1, because = 'no_evidence' } = {}) => {
      const memoryId = await memory({ ...keys, ...more });
      const times = { queuedAt: NOON, checkedAt: NOON, dueAt: minute(600) };
      const row = { state: 'unresolved', because, trigger: 'schedule', attempts };
      await tx().promotion.create({ data: { memoryId, ...row, ...times } });
      return memoryId;
    };
    const about = await unresolved({});
    const oftenChecked = await unresolved({}, { attempts: 10 });
    await unresolved({ failure_key: `sha256:1${pattern.slice(1)}${'0'.repeat(48)}` });
    await unresolved({ proposer: 'model/1' });
    await unresolved({}, { because: 'needs_person' });
    const id = randomUUID();
    const said = { report: {}, report_sha256: id, task_id: id, origin: id, status: 'completed', findings: [] };
    const times = { started_at: NOON, finished_at: NOON, received_at: minute(5) };
    const by = { agent_id: agent, execution_id: id, reporter_id: agent, credential_id: randomUUID() };
    const captured = { capture_state: 'captured', patterns: [pattern], call_outcomes: {} };
    await rows.insert('execution', { id, ...by, ...said, ...times, ...captured });

    const arrived = (since: number, now: number) => repository.scheduleNewEvidence(tx(), minute(since), minute(now));
    expect(await arrived(6, 7)).toBe(0);
    expect(await arrived(0, 7)).toBe(1);
    expect(await arrived(0, 7)).toBe(0);
    expect(await repository.find(tx(), about)).toMatchObject({ dueAt: minute(7).toISOString() });
    expect(await arrived(0, 30)).toBe(1);
    expect(await repository.find(tx(), oftenChecked)).toMatchObject({ dueAt: minute(30).toISOString() });
  });

  it('stores evidence unchanged', async () => {
    const memoryId = await memory();
    const evidence = {
      memoryId,
      kind: 'second_model',
      stance: 'supports',
      source: 'x',
      whole: true,
      reason: 'y',
      at: NOON,
    };
    await tx().memoryEvidence.create({ data: { id: randomUUID(), ...evidence } });
    await expect(tx().memoryEvidence.updateMany({ data: { stance: 'contradicts' } })).rejects.toThrow('append-only');
    await expect(tx().memoryEvidence.deleteMany()).rejects.toThrow('append-only');
    const invented = { ...evidence, id: randomUUID(), kind: 'hearsay' };
    await expect(tx().memoryEvidence.create({ data: invented })).rejects.toThrow('memory_evidence_kinds');
  });
});
