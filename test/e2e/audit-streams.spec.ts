import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { jobActor } from '../../src/journal/actor.js';
import type { ChainEntry, ChainPosition } from '../../src/journal/chain.js';
import { Journal } from '../../src/journal/journal.service.js';
import { JournalAudit } from '../../src/journal/journal-audit.service.js';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/base/durations.js';
import { RandomIds } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { AuditStreamRepository } from '../../src/webhooks/audit-stream.repository.js';
import { AuditStreamSender } from '../../src/webhooks/audit-stream-sender.service.js';
import { AuditStreamWorker } from '../../src/webhooks/audit-stream-worker.service.js';
import { AuditStreams } from '../../src/webhooks/audit-streams.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { HOSTILE, RESOLVES_INSIDE } from '../support/webhook-addresses.js';
import { isSigned, type Message, type Receiver, startReceiver } from '../support/webhook-receiver.js';

/** The receiver's check, as docs/journal.md prints it. */
interface Documented {
  readonly BEGINNING: ChainPosition;
  newEntries(entries: readonly ChainEntry[], last: ChainPosition): ChainEntry[];
}

const SECOND_PROCESS = loadConfig({ GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true' });

/** Nothing is sent but on request. */
function stopTimers({ app }: TestApplication): void {
  const schedule = app.get(SchedulerRegistry);
  for (const name of schedule.getIntervals()) schedule.deleteInterval(name);
}

describe('an audit stream', () => {
  let app: TestApplication;
  let receiver: Receiver;
  let folder: string;
  let documented: Documented;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-audit-'));
    const text = await readFile(new URL('../../docs/journal.md', import.meta.url), 'utf8');
    const file = join(folder, 'verify.mjs');
    await writeFile(file, /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '');
    documented = await import(pathToFileURL(file).href);
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    receiver = await startReceiver();
    app = await startTestApplication({ GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true' });
    stopTimers(app);
  });
  afterEach(async () => {
    await app.close();
    await receiver.close();
  });

  const add = (more: { from?: 'beginning' | 'now' } = {}) => app.admin.auditStreams.add({ url: receiver.url, ...more });
  const worker = () => app.app.get(AuditStreamWorker);
  async function sendDue(): Promise<void> {
    worker().wake();
    await worker().idle();
  }
  // Asked without a token: the administrator's expires when the clock moves.
  const stream = async () => {
    const { seq } = await app.app.get(Journal).head();
    const [one] = await app.app.get(AuditStreamRepository).list(app.database.client, seq);
    if (!one) throw new Error('there is no stream');
    return one;
  };
  const journal = () => app.app.get(Journal);
  const act = (n: number, wait = 0) =>
    app.database.transaction(async (tx) => {
      if (wait > 0) await sleep(wait);
      await journal().append(tx, jobActor('test'), { action: 'test.done', subject: { type: 'test', id: String(n) } });
      if (wait > 0) await sleep(wait);
    });
  const entriesOf = ({ body }: Message): ChainEntry[] => JSON.parse(body).entries;
  const stored = () => app.app.get(JournalAudit).export({ after: 0, limit: 5_000 });
  /** All entries that a receiver holds which checks them as the documentation says. Throws at a gap. */
  function accepted(messages: readonly Message[], from = documented.BEGINNING): ChainEntry[] {
    const all: ChainEntry[] = [];
    let last = from;
    for (const message of messages) {
      all.push(...documented.newEntries(entriesOf(message), last));
      last = all.at(-1) ?? last;
    }
    return all;
  }

  it('sends every entry as it is stored, signed, from the first one, and then what is added', async () => {
    const added = await add();
    await sendDue();
    for (let n = 0; n < 3; n += 1) await act(n);
    await sendDue();
    const entries = accepted(receiver.messages);
    expect(entries).toEqual(await stored());
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['audit_stream.added', 'test.done']));
    for (const message of receiver.messages) {
      expect(isSigned(message, added.secret)).toBe(true);
      expect(isSigned({ ...message, body: `${message.body} ` }, added.secret)).toBe(false);
      expect(JSON.parse(message.body)).toMatchObject({ type: 'journal.entries', stream: added.id });
    }
    expect(await stream()).toMatchObject({ acknowledged: entries.length, pending: 0, failures: 0, lastStatus: 204 });
    const changed = entries.map((entry) => (entry.seq === 2 ? { ...entry, actorName: 'Someone Else' } : entry));
    expect(() => documented.newEntries(changed, documented.BEGINNING)).toThrow('entry 2 does not continue entry 1');
    const removed = entries.filter(({ seq }) => seq !== 2);
    expect(() => documented.newEntries(removed, documented.BEGINNING)).toThrow('entry 3 does not continue entry 1');
  });

  it('sends only later entries when it begins now', async () => {
    await act(1);
    const added = await add({ from: 'now' });
    await sendDue();
    expect(receiver.messages).toEqual([]);
    await act(2);
    await sendDue();
    const entries = receiver.messages.flatMap(entriesOf);
    expect(entries.map(({ action, subjectId }) => [action, subjectId])).toEqual([['test.done', '2']]);
    expect(entries[0]?.seq).toBe(added.acknowledged + 1);
  });

  it('loses nothing in an outage, pauses between attempts, and shows that it fails', async () => {
    receiver.answer = (_request, response) => response.writeHead(503).end('later, password=hunter2hunter2');
    await add();
    await act(1);
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await sendDue();
      const { failures, nextAttemptAt } = await stream();
      expect(failures).toBe(attempt);
      expect(Date.parse(nextAttemptAt ?? '')).toBeGreaterThan(Date.parse((await stream()).failingSince ?? ''));
      await sendDue();
      expect(receiver.messages).toHaveLength(attempt);
      app.clock.advance(5 * MINUTE_MS + SECOND_MS);
    }
    const failing = await stream();
    expect(failing).toMatchObject({ acknowledged: 0, lastStatus: 503, failingSince: expect.any(String) });
    expect(failing.lastAnswer).toContain('later');
    expect(failing.lastAnswer).not.toContain('hunter2');
    expect(failing.pending).toBe((await journal().head()).seq);

    const record = { actor: jobActor('test'), action: 'test.done', subject: { type: 'test', id: 'many' } };
    await app.database.transaction((tx) => journal().appendAll(tx, Array(500).fill(record)));
    const before = receiver.messages.length;
    receiver.answer = (_request, response) => response.writeHead(200).end();
    await sendDue();
    const sent = receiver.messages.slice(before);
    expect(sent.length).toBeGreaterThan(2);
    expect(Math.max(...sent.map((message) => entriesOf(message).length))).toBe(200);
    expect(accepted(sent)).toEqual(await stored());
    expect(await stream()).toMatchObject({ failures: 0, failingSince: null, nextAttemptAt: null, pending: 0 });
  });

  it('sends the same entries again under the same id if the acknowledgement is lost, and leaves none out', async () => {
    receiver.answer = (request) => request.socket.destroy();
    await add();
    await sendDue();
    expect(await stream()).toMatchObject({ acknowledged: 0, failures: 1, lastStatus: null });
    // A process that is killed between the message and the record of its acknowledgement.
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const [target] = await app.database.client.auditStream.findMany();
    const killed = await app.app.get(AuditStreamRepository).find(app.database.client, target?.id ?? '');
    if (!killed) throw new Error('there is no stream');
    expect(await app.app.get(AuditStreamSender).send(killed)).toMatchObject({ status: 204 });
    app.clock.advance(MINUTE_MS);
    await act(1);
    await sendDue();
    const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids.slice(0, 2)).size]).toEqual([3, 1]);
    expect(receiver.messages[1]?.body).toBe(receiver.messages[0]?.body);
    expect(accepted(receiver.messages)).toEqual(await stored());
    expect(receiver.messages.flatMap(entriesOf).length).toBeGreaterThan((await stored()).length);
  });

  it('keeps the order of the journal while transactions begin and commit in another order', async () => {
    await add();
    let isDone = false;
    const sending = (async () => {
      while (!isDone) await sendDue();
    })();
    await Promise.all(Array.from({ length: 40 }, (_, n) => act(n, 1 + ((n * 7) % 11))));
    isDone = true;
    await sending;
    await sendDue();
    const seqs = receiver.messages.flatMap(entriesOf).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(accepted(receiver.messages)).toEqual(await stored());
  });

  it('is served by one process at a time, and by the next one when the first is gone', async () => {
    const second = new AuditStreamWorker(
      ...([SECOND_PROCESS, app.database, app.clock, new RandomIds()] as const),
      ...([app.app.get(AuditStreamRepository), app.app.get(AuditStreamSender)] as const),
    );
    const sendBySecond = async () => {
      second.wake();
      await second.idle();
    };
    await add();
    await sendDue();
    const count = receiver.messages.length;
    await act(1);
    await sendBySecond();
    expect(receiver.messages).toHaveLength(count);
    await Promise.all([sendDue(), sendBySecond()]);
    expect(receiver.messages).toHaveLength(count + 1);
    await act(2);
    // The first process does nothing any more; its lease ends.
    app.clock.advance(MINUTE_MS + SECOND_MS);
    await sendBySecond();
    expect(receiver.messages).toHaveLength(count + 2);
    await second.beforeApplicationShutdown();
    await act(3);
    await sendDue();
    expect(accepted(receiver.messages)).toEqual(await stored());
    expect(receiver.messages.flatMap(entriesOf)).toHaveLength((await stored()).length);
  });

  it('does not wait for a receiver that is slow', async () => {
    const slow = await startReceiver();
    let answer: () => void = () => {};
    slow.answer = (_request, response) => {
      answer = () => response.writeHead(204).end();
    };
    await app.admin.auditStreams.add({ url: slow.url });
    await add();
    worker().wake();
    for (const n of [1, 2, 3]) {
      await act(n);
      const { seq } = await journal().head();
      while (receiver.messages.flatMap(entriesOf).length < seq) {
        worker().wake();
        await sleep(10);
      }
    }
    expect(slow.messages).toHaveLength(1);
    slow.answer = (_request, response) => response.writeHead(204).end();
    answer();
    await worker().idle();
    await sendDue();
    expect(accepted(slow.messages)).toEqual(await stored());
    await slow.close();
  });

  it('stops at an entry that was changed, and says which', async () => {
    for (const n of [1, 2, 3]) await act(n);
    await app.database.client.$executeRawUnsafe('ALTER TABLE "journal_entry" DISABLE TRIGGER USER');
    await app.database.client.$executeRawUnsafe(`UPDATE "journal_entry" SET "actor_name" = 'x' WHERE "seq" = 2`);
    await add();
    await sendDue();
    expect(receiver.messages.flatMap(entriesOf).map(({ seq }) => seq)).toEqual([1]);
    expect(await stream()).toMatchObject({
      acknowledged: 1,
      lastAnswer: 'the journal is broken at entry 2: was changed after it was written',
    });
  });

  it('is added by administrators, for public addresses, never for a path', async () => {
    const { client } = await app.person('Rita Reviewer', { reviewer: true });
    await expect(client.auditStreams.add({ url: receiver.url })).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(client.auditStreams.list()).rejects.toMatchObject({ problem: { status: 403 } });
    for (const url of ['file:///etc/passwd', '/etc/passwd', '../../audit.jsonl'])
      await expect(app.admin.auditStreams.add({ url })).rejects.toMatchObject({ problem: { status: 400 } });
    const withPath = { url: receiver.url, kind: 'file', path: '/etc/passwd' };
    await expect(app.admin.auditStreams.add(withPath)).rejects.toMatchObject({ problem: { status: 400 } });
    expect(await app.admin.auditStreams.list()).toEqual({ items: [] });
    const { id } = await add();
    await expect(add()).rejects.toMatchObject({ problem: { status: 409, code: 'audit_stream.exists' } });
    for (let n = 1; n < 10; n += 1) await app.admin.auditStreams.add({ url: `${receiver.url}/${n}` });
    await expect(app.admin.auditStreams.add({ url: `${receiver.url}/x` })).rejects.toMatchObject({
      problem: { status: 409, code: 'audit_stream.too_many' },
    });
    await app.admin.auditStreams.remove(id);
    await expect(app.admin.auditStreams.remove(id)).rejects.toMatchObject({
      problem: { status: 404, code: 'audit_stream.not_found' },
    });
    const { items } = await app.admin.journal.list({ subject: id });
    expect(items.map(({ action, data }) => [action, data])).toEqual([
      ['audit_stream.added', { kind: 'webhook', host: '127.0.0.1', from: 'beginning' }],
      ['audit_stream.removed', { kind: 'webhook', host: '127.0.0.1', acknowledged: expect.any(Number) }],
    ]);
  });

  it('is added, watched and removed in the settings', async () => {
    const page = await Console.signedIn(app, 'Ada Admin', { admin: true });
    const reader = await Console.signedIn(app, 'Ron Reader', {});
    expect((await page.get('/settings/audit')).text).toContain('The journal is sent nowhere.');
    expect((await reader.get('/settings/audit')).status).toBe(403);
    receiver.answer = (_request, response) => response.writeHead(500).end('<b>no</b>');
    const added = await page.post('/settings/audit', { url: receiver.url, from: 'beginning' });
    expect([added.status, /whsec_[A-Za-z0-9+/=]{20}/.test(decoded(added.text))]).toEqual([201, true]);
    await sendDue();
    const { text } = await page.get('/settings/audit');
    expect(text).not.toContain('whsec_');
    expect(text).not.toContain('<b>no</b>');
    expect(text).toMatch(/Failing since [\s\S]*1 attempt: 500/);
    const { id } = await stream();
    expect((await page.post(`/settings/audit/${id}/remove`)).to).toBe('/settings/audit');
    expect(await app.admin.auditStreams.list()).toEqual({ items: [] });
  });
});

describe('an audit stream to an internal address', () => {
  it('is refused', async () => {
    const app = await startTestApplication();
    const refused = { problem: { status: 400, code: 'audit_stream.invalid_address' } };
    for (const url of HOSTILE.filter((one) => !RESOLVES_INSIDE.includes(one)))
      await expect(app.admin.auditStreams.add({ url })).rejects.toMatchObject(refused);
    await app.close();
  });
});

describe('the audit file of the operator', () => {
  let folder: string;
  let file: string;
  let app: TestApplication;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-audit-'));
    file = join(folder, 'audit.jsonl');
    app = await startTestApplication({ GUILDBOOK_AUDIT_FILE: file });
    stopTimers(app);
  });
  afterEach(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });
  async function written(): Promise<void> {
    app.clock.advance(5 * MINUTE_MS);
    app.app.get(AuditStreamWorker).wake();
    await app.app.get(AuditStreamWorker).idle();
  }
  const act = () =>
    app.database.transaction((tx) =>
      app.app.get(Journal).append(tx, jobActor('test'), { action: 'test.done', subject: { type: 'test', id: 'x' } }),
    );
  const seqsIn = async (path: string) =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq);
  const stream = async () => (await app.app.get(AuditStreamRepository).list(app.database.client, 0))[0];

  it('holds every entry once, also after kills at any point and after a rotation', async () => {
    await written();
    const { seq: first } = await act();
    await written();
    expect(await seqsIn(file)).toEqual(Array.from({ length: first }, (_, index) => index + 1));
    expect(await stream()).toMatchObject({ kind: 'file', target: file, acknowledged: first, createdBy: null });
    // Killed before the acknowledgement: the cursor is behind the file.
    await app.database.client.auditStream.updateMany({
      data: { acknowledgedSeq: 0n, acknowledgedHash: '0'.repeat(64) },
    });
    await written();
    expect((await stream())?.acknowledged).toBe(first);
    // Killed within a line, or out of space.
    const whole = await readFile(file, 'utf8');
    await writeFile(file, `${whole}{"seq":${first + 1},"at":"20`);
    const { seq: second } = await act();
    await written();
    expect(await seqsIn(file)).toEqual(Array.from({ length: second }, (_, index) => index + 1));
    const rotated = join(folder, 'audit.1.jsonl');
    await writeFile(rotated, await readFile(file));
    await rm(file);
    const { seq: third } = await act();
    await written();
    expect(await seqsIn(file)).toEqual(Array.from({ length: third - second }, (_, index) => second + index + 1));
    const [id] = (await app.database.client.auditStream.findMany()).map((one) => one.id);
    expect((await app.database.client.journalEntry.findMany({ where: { subjectId: id ?? '' } })).length).toBe(1);
  });

  it('is left alone while it holds anything else, and the stream says why', async () => {
    await written();
    await act();
    for (const [content, reason] of [
      ['root:x:0:0\n', 'does not end with a journal entry; move the file away or name another one'],
      ['half a line', 'does not end with a journal entry; move the file away or name another one'],
      [(await readFile(file, 'utf8')).split('\n')[0]?.concat('\n') ?? '', 'the file ends at entry 1, but had entries'],
      [(await readFile(file, 'utf8')).replaceAll(/"hash":"../g, '"hash":"00'), 'is not that of the journal'],
    ] as const) {
      await writeFile(file, content);
      await act();
      await written();
      expect((await stream())?.lastAnswer).toContain(reason);
      expect(await readFile(file, 'utf8')).toBe(content);
    }
    await rm(file);
    await written();
    expect(await stream()).toMatchObject({ failures: 0, failingSince: null });
  });

  it('is removed only after its setting', async () => {
    await written();
    const one = await stream();
    const admin = { kind: 'admin', id: new RandomIds().uuid(), name: 'Ada' } as const;
    await expect(app.app.get(AuditStreams).remove(admin, one?.id ?? '')).rejects.toMatchObject({
      code: 'audit_stream.set_by_operator',
    });
  });
});
