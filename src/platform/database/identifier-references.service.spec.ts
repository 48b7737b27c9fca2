import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { RandomIds } from '../base/ids.js';
import { IdentifierReferences } from './identifier-references.service.js';

let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(async () => {
  await test.database.close();
  await test.drop();
});

const started = async () => {
  const references = new IdentifierReferences(test.database, new RandomIds());
  await references.onModuleInit();
  return references;
};

describe('the references of identifiers', () => {
  it('are the same in all processes that start on an empty database at once, and after a restart', async () => {
    const together = await Promise.all([started(), started(), started()]);
    const later = await started();
    const references = [...together, later].map((one) => [one.of('resp_68f1'), one.keyOf('resp_68f1')]);
    expect(new Set(references.map((pair) => pair.join(' '))).size).toBe(1);
    expect(await test.database.client.installationKey.count()).toBe(1);
  });

  it('are not made with a damaged key: every execution would become another one', async () => {
    const { client } = test.database;
    const { value } = await client.installationKey.findUniqueOrThrow({ where: { name: 'identifiers' } });
    await client.installationKey.update({ where: { name: 'identifiers' }, data: { value: 'abc' } });
    await expect(started()).rejects.toThrow('installation_key is damaged');
    await client.installationKey.update({ where: { name: 'identifiers' }, data: { value } });
    expect((await started()).of('x')).toMatch(/^id~/);
  });
});
