import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { releaseLease, takeLease, whileRenewing } from './lease.js';

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
    test.database.transaction((tx) => takeLease(tx, name, holder, at(now), at(until).getTime() - at(now).getTime()));
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

describe('a lease of long work', () => {
  it('is renewed while the work runs, also after a renewal failed, and not after it', async () => {
    let renewals = 0;
    let finish: (says: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const renew = async (): Promise<void> => {
      renewals += 1;
      if (renewals === 3) finish('done');
      throw new Error('the database is away');
    };
    expect(await whileRenewing(1, renew, () => work)).toBe('done');
    const before = renewals;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(renewals).toBe(before);
  });

  it('fails as the work fails', async () => {
    const fails = whileRenewing(
      1_000,
      async () => true,
      () => Promise.reject(new Error('no')),
    );
    await expect(fails).rejects.toThrow('no');
  });
});
