import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { referenceOf } from '../../../test/support/references.js';
import { reporter } from '../../../test/support/reporter.js';
import { report, run } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { Journal } from '../../journal/journal.service.js';
import { JournalAudit } from '../../journal/journal-audit.service.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import { CaptureModule } from '../capture.module.js';
import { ExecutionRepository } from '../store/execution.repository.js';
import { Executions } from './executions.service.js';

let services: TestServices;
let executions: Executions;

beforeAll(async () => {
  services = await startServices(CaptureModule);
  executions = services.get(Executions);
  // Capture is stopped: a report must not need it.
  await services.get(CaptureWorker).beforeApplicationShutdown();
});
afterAll(() => services.close());

const agent = (name: string, owner = 'Books'): Promise<Reporter> => services.agent(name, owner);

const rowsOf = ({ id }: Reporter) => services.database.client.execution.findMany({ where: { agentId: id } });
const journalOf = (subject: string) => services.get(Journal).list({ subject, after: 0, limit: 50, order: 'oldest' });

describe('reporting a finished execution', () => {
  it('stores it and journals it under the agent, and capture follows later', async () => {
    const ada = await agent('Ada');
    const received = await executions.report(ada, report());
    expect(received).toEqual({ id: received.id, executionId: 'execution-1', agent: 'Ada', duplicate: false });
    expect(await rowsOf(ada)).toEqual([expect.objectContaining({ id: received.id, captureState: 'pending' })]);
    const { items } = await journalOf(received.id);
    expect(items).toEqual([
      expect.objectContaining({
        action: 'execution.reported',
        actor: { kind: 'agent', id: ada.id, name: 'Ada' },
        data: { ...ada.source, reportSha256: expect.any(String), redactions: [], status: 'completed', toolCalls: 2 },
      }),
    ]);
  });

  it('stores and journals the same execution only once', async () => {
    const ben = await agent('Ben');
    const first = await executions.report(ben, report());
    expect(await executions.report(ben, report())).toEqual({ ...first, duplicate: true });
    expect(await rowsOf(ben)).toHaveLength(1);
    expect((await journalOf(first.id)).items).toHaveLength(1);
  });

  it('stores five simultaneous reports of one execution as one', async () => {
    const cleo = await agent('Cleo');
    const answers = await Promise.all(Array.from({ length: 5 }, () => executions.report(cleo, report())));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await rowsOf(cleo)).toHaveLength(1);
  });

  it('fails only the one of many simultaneous reports that cannot be stored', async () => {
    const ivy = await agent('Ivy');
    const unregistered = reporter('00000000-0000-4000-8000-00000000dead', 'Unregistered');
    const reports = Array.from({ length: 7 }, (_, n) =>
      executions.report(n === 3 ? unregistered : ivy, report({ executionId: `ivy-${n}` })),
    );
    const outcomes = (await Promise.allSettled(reports)).map(({ status }) => status);
    expect(outcomes).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => (n === 3 ? 'rejected' : 'fulfilled')));
    expect(await rowsOf(ivy)).toHaveLength(6);
    expect(await services.get(JournalAudit).verify()).toMatchObject({ intact: true });
  });

  it('refuses the same id with different content and keeps the first report', async () => {
    const dan = await agent('Dan');
    const { id } = await executions.report(dan, report());
    await expect(executions.report(dan, report({ status: 'failed' }))).rejects.toMatchObject({
      kind: 'conflict',
      code: 'execution.content_differs',
      fields: [{ field: 'executionId' }],
    });
    expect((await executions.show(id)).report.status).toBe('completed');
  });

  it('treats reports that differ only in the value of a secret as the same report', async () => {
    const eve = await agent('Eve');
    const withPassword = (password: string) => report({ errorMessage: `login failed: password=${password}` });
    await executions.report(eve, withPassword('hunter2hunter'));
    expect(await executions.report(eve, withPassword('correct-horse-9'))).toMatchObject({ duplicate: true });
  });

  it('refuses a report whose field is empty after redaction, names the field, and stores nothing', async () => {
    const finn = await agent('Finn');
    await expect(executions.report(finn, report({ taskTitle: '\u200b' }))).rejects.toMatchObject({
      kind: 'invalid',
      code: 'execution.unusable_text',
      fields: [{ field: 'taskTitle' }],
    });
    expect(await rowsOf(finn)).toEqual([]);
  });

  it('does not store a report that cannot be journalled', async () => {
    const gus = await agent('Gus');
    await whileJournalIsBroken(services, () => expect(executions.report(gus, report())).rejects.toThrow());
    expect(await rowsOf(gus)).toEqual([]);
    expect(await executions.report(gus, report())).toMatchObject({ duplicate: false });
  });
});

describe('how an execution ended and when', () => {
  const bySelf = { outcome: 'succeeded', source: 'self' } as const;
  const byTest = { outcome: 'failed', source: 'test' } as const;
  const passed = { outcome: 'succeeded', source: 'ci' } as const;

  it('is as a judge says, in every count of failed executions', async () => {
    const judy = await services.agent('judy');
    for (const [n, change] of (
      [
        { status: 'completed', verification: byTest },
        { status: 'failed', verification: passed },
        { status: 'failed', verification: bySelf },
        { status: 'completed', verification: bySelf },
      ] as const
    ).entries())
      await executions.report(judy, report({ executionId: `judged-${n}`, ...change }));
    const { items } = await executions.list({ limit: 4 });
    expect(items.map(({ failed }) => failed)).toEqual([false, true, false, true]);
    const since = new Date('2026-01-01T00:00:00Z');
    const counts = async () => (await executions.countRunsByAgent(since)).find(({ agent }) => agent === 'judy');
    expect(await counts()).toMatchObject({ runs: 4, failed: 2 });
    await services.database.client.execution.updateMany({ where: { agentId: judy.id }, data: { failed: null } });
    expect(await counts()).toMatchObject({ runs: 4, failed: 2 });
  });

  it('is bounded by the clock of the server', async () => {
    const rip = await services.agent('rip');
    for (const year of ['2099', '1970'])
      await executions.report(
        rip,
        report({ executionId: year, startedAt: `${year}-01-01T10:00:00Z`, finishedAt: `${year}-01-01T11:00:00Z` }),
      );
    const { items } = await executions.list({ limit: 2 });
    expect(items.map(({ finishedAt }) => finishedAt)).toEqual(items.map(({ receivedAt }) => receivedAt));
    const later = new Date(Date.parse(items[0]?.receivedAt ?? '') + 1);
    expect((await executions.countRunsByAgent(later)).some(({ agent }) => agent === 'rip')).toBe(false);
  });
});

describe('reading executions', () => {
  it('answers an unknown id with not_found', async () => {
    await expect(executions.show('00000000-0000-4000-8000-000000000001')).rejects.toMatchObject({
      kind: 'not_found',
      code: 'execution.not_found',
    });
  });

  it('pages through all executions, each once, newest first', async () => {
    const mia = await agent('Mia');
    for (let n = 0; n < 5; n += 1) {
      services.clock.advance(1_000);
      await executions.report(mia, report({ executionId: `mia-${n}` }));
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await executions.list({ limit: 2, after });
      seen.push(...page.items.map(({ executionId }) => executionId));
      after = page.next ?? undefined;
    } while (after);
    expect(seen.slice(0, 5)).toEqual([4, 3, 2, 1, 0].map((n) => referenceOf({ app: services }, `mia-${n}`)));
    expect(seen).toHaveLength((await executions.list({ limit: 1 })).total);
  });

  it('reads the reports of a long list a few at once, and lists all of them', async () => {
    const lou = await agent('Lou');
    for (let n = 0; n < 25; n += 1) {
      services.clock.advance(1_000);
      await executions.report(lou, report({ executionId: `lou-${n}`, toolCalls: [run('make', 'make failed')] }));
    }
    const { client } = services.database;
    const read: number[] = [];
    const counting = client.$extends({
      query: {
        execution: {
          async findMany({ args, query }) {
            const rows = await query(args);
            read.push(rows.length);
            return rows;
          },
        },
      },
    });
    // The extension changes no result.
    const listed = await services.get(ExecutionRepository).list(counting as unknown as typeof client, 25);
    expect(listed.map(({ executionId }) => executionId)).toEqual(
      Array.from({ length: 25 }, (_, n) => referenceOf({ app: services }, `lou-${24 - n}`)),
    );
    expect(read).toEqual([10, 10, 5]);
  });

  it('returns how many executions wait for capture and for the proposer', async () => {
    const { executions: all, awaitingCapture, awaitingProposal } = await executions.status();
    expect(awaitingCapture).toBe(all);
    expect(awaitingProposal).toBe(0);
  });
});
