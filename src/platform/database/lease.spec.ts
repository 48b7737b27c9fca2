import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { releaseLease, takeLease } from './lease.js';

const HERE = randomUUID();
const THERE = randomUUID();
const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 12, minute));

describe('a lease', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await openTestDatabase();
  });
  afterAll(async () => {
    await test.database.close();
    await test.drop();
  });
  beforeEach(async () => {
    await test.database.client.lease.deleteMany();
  });

  const take = (name: string, holder: string, now: number, until: number) =>
    test.database.transaction((tx) => takeLease(tx, name, holder, at(now), at(until)));
  const release = (name: string, holder: string) => test.database.transaction((tx) => releaseLease(tx, name, holder));

  it('belongs to its first holder until it expires', async () => {
    expect(await take('evolver', HERE, 0, 10)).toBe(true);
    expect(await take('evolver', THERE, 9, 19)).toBe(false);
    expect(await take('evolver', THERE, 10, 20)).toBe(true);
    expect(await take('evolver', HERE, 11, 21)).toBe(false);
  });

  it('is renewed by its holder', async () => {
    expect(await take('evolver', HERE, 0, 10)).toBe(true);
    expect(await take('evolver', HERE, 5, 15)).toBe(true);
    expect(await take('evolver', THERE, 12, 22)).toBe(false);
  });

  it('can be taken at once after its holder released it; another holder cannot release it', async () => {
    expect(await take('evolver', HERE, 0, 10)).toBe(true);
    await release('evolver', THERE);
    expect(await take('evolver', THERE, 1, 11)).toBe(false);
    await release('evolver', HERE);
    expect(await take('evolver', THERE, 2, 12)).toBe(true);
  });

  it('does not block other leases', async () => {
    expect(await take('evolver', HERE, 0, 10)).toBe(true);
    expect(await take('expiry', THERE, 0, 10)).toBe(true);
  });

  it('goes to one of many simultaneous callers', async () => {
    const holders = Array.from({ length: 8 }, () => randomUUID());
    const taken = await Promise.all(holders.map((holder) => take('evolver', holder, 0, 10)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });
});
