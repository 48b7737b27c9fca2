import { describe, expect, it } from '@jest/globals';
import { workerRoleAdvice, workerRoleSql } from './worker-role-advice.js';

describe('the advice on the role of background work', () => {
  it('is the SQL of the two names, with the reason', () => {
    const state = { role: 'guildbook_worker', login: 'guildbook', problem: 'permission denied to create role' };
    expect(workerRoleSql(state)).toEqual([
      'CREATE ROLE guildbook_worker NOLOGIN;',
      'GRANT guildbook_worker TO guildbook;',
    ]);
    const text = workerRoleAdvice(state);
    expect(text).toContain('not in force: permission denied to create role.');
    expect(text).toContain('  GRANT guildbook_worker TO guildbook;');
  });

  it('quotes a name that SQL would read differently', () => {
    expect(workerRoleSql({ role: 'Skills-2_worker', login: 'o"brien', problem: '' })).toEqual([
      'CREATE ROLE "Skills-2_worker" NOLOGIN;',
      'GRANT "Skills-2_worker" TO "o""brien";',
    ]);
  });

  it.each([
    ['permission denied to set role "guildbook_worker"', ['GRANT guildbook_worker TO guildbook;']],
    [
      'the role bypasses row-level security',
      ['ALTER ROLE guildbook_worker NOSUPERUSER NOBYPASSRLS;', 'GRANT guildbook_worker TO guildbook;'],
    ],
  ])('creates no role that exists: %s', (problem, sql) => {
    expect(workerRoleSql({ role: 'guildbook_worker', login: 'guildbook', problem })).toEqual(sql);
  });
});
