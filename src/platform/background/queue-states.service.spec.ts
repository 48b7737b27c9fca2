import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Clock } from '../base/clock.js';
import { Prisma } from '../generated/prisma/client.js';
import { QueueStates } from './queue-states.service.js';

class StandingClock extends Clock {
  private time = Date.UTC(2026, 4, 5, 12);
  now(): Date {
    return new Date(this.time);
  }
  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

describe('the states of the queues', () => {
  let test: TestDatabase;
  const clock = new StandingClock();
  const lease = (name: string, secondsAgo: number) =>
    test.database.client.lease.create({
      data: {
        name,
        holder: '00000000-0000-4000-8000-000000000001',
        until: new Date(clock.now().getTime() - secondsAgo * 1_000),
      },
    });
  const waiting = (name: string) => (now: Date) =>
    Prisma.sql`SELECT count(*)::int AS "length", min("until") AS "oldest" FROM "lease" WHERE "name" LIKE ${`${name}%`} AND "until" <= ${now}`;

  beforeAll(async () => {
    test = await openTestDatabase();
  });
  afterAll(async () => {
    await test.database.close();
    await test.drop();
  });

  it('have the length and the age of the oldest item of each queue, by name, in one statement', async () => {
    const queues = new QueueStates(test.database, clock);
    expect(await queues.readNow()).toEqual([]);
    queues.register('second', waiting('b'));
    queues.register('first', waiting('a'));
    await lease('a1', 90);
    await lease('a2', 30);
    await lease('a3', -600);
    expect(await queues.readNow()).toEqual([
      { name: 'first', length: 2, oldestSeconds: 90 },
      { name: 'second', length: 0, oldestSeconds: null },
    ]);
  });

  it('are read again after five seconds, not before', async () => {
    const queues = new QueueStates(test.database, clock);
    queues.register('third', waiting('c'));
    const length = async () => (await queues.read())[0]?.length;
    expect(await length()).toBe(0);
    await lease('c1', 1);
    expect(await length()).toBe(0);
    clock.advance(5_001);
    expect(await length()).toBe(1);
  });
});
