import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { pythonReport } from '../support/fleet.js';
import { failedCall } from '../support/imported-calls.js';
import { submitTestProposal } from '../support/proposal-input.js';

const ERROR = 'kestrel: error: the roost refuses the connection';
const QUERY = `kestrel sync roost\n${ERROR}`;
const shell = (call: string) => ({ tool: 'shell', call });

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication({});
  ada = await app.agent('ada');
});
afterAll(() => app.close());

const recalled = async (retrieval: 'words' | 'hybrid' | 'keyword_overlap') =>
  (await ada.client.recall({ query: QUERY, retrieval })).memories.map(({ id, scope }) => ({ id, scope }));

describe('the claim that nothing helped', () => {
  it('is delivered while nothing answers the failure, and never beside an approved skill', async () => {
    await ada.client.executions.report({
      ...pythonReport(app, 'roost'),
      status: 'failed',
      toolCalls: [
        failedCall('kestrel sync roost', ERROR),
        failedCall('kestrel sync roost', ERROR),
        failedCall('kestrel push roost', ERROR),
      ],
    });
    await app.settled();
    const { items } = await app.admin.lessons();
    const [claim] = items.filter(({ lesson }) => lesson.example?.failed.call === 'kestrel sync roost');
    expect(claim?.lesson.example?.worked).toBeNull();
    expect(await recalled('words')).toEqual([{ id: claim?.id, scope: 'agent' }]);

    const [failed, worked] = [shell('kestrel sync roost'), shell('kestrel sync --wait roost')];
    const proposal = await submitTestProposal(
      app,
      'Kestrel sync roost',
      {},
      {
        discovery: `kestrel sync roost fails with "${ERROR}".`,
        example: { failed, error: ERROR, between: [], worked },
      },
      { calls: { worked: [worked], failed: [failed] } },
    );
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    for (const retrieval of ['words', 'hybrid', 'keyword_overlap'] as const)
      expect(await recalled(retrieval)).toEqual([{ id: expect.any(String), scope: 'org' }]);
    const { messages } = await ada.client.recall({ query: QUERY });
    expect(messages[1]?.content).toContain('kestrel sync --wait roost');
    expect(messages[1]?.content).not.toContain(claim?.id);
  });
});
