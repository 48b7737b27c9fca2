import { describe, expect, it } from '@jest/globals';
import { roleFacts } from './server-state.service.js';

describe('the role of background work on the page of the server', () => {
  it('is not mentioned while it is in force', () => {
    expect(roleFacts({ roleProblem: undefined, roleSql: [] })).toEqual([]);
  });

  it('says the problem in words, and puts each statement to run on a separate line', () => {
    const roleSql = ['CREATE ROLE g_worker NOLOGIN;', 'GRANT g_worker TO g;'];
    const [row] = roleFacts({ roleProblem: 'role "g_worker" does not exist', roleSql });
    expect(row).toEqual({
      name: 'Role of background work',
      says: expect.stringMatching(/^not in force: role "g_worker" does not exist\. [^;]+:$/),
      isBad: true,
      toRun: 'CREATE ROLE g_worker NOLOGIN;\nGRANT g_worker TO g;',
    });
  });
});
