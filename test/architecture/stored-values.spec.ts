import { describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '../support/database.js';

describe('enum values', () => {
  it('are stored as the API spells them: lower case with underscores', async () => {
    const { database, drop } = await openTestDatabase();
    const values = await database.client.$queryRaw<{ type: string; value: string }[]>`
      SELECT t."typname"::text AS "type", e."enumlabel"::text AS "value"
        FROM pg_enum e JOIN pg_type t ON t."oid" = e."enumtypid"`;
    await database.close();
    await drop();
    expect(values).toContainEqual({ type: 'ProposalState', value: 'pending' });
    expect(values.filter(({ value }) => !/^[a-z]+(?:_[a-z]+)*$/.test(value))).toEqual([]);
  });
});
