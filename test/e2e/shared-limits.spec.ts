import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerProcesses } from '../../src/platform/background/server-processes.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type ApplicationBeside, startBeside } from '../support/application-beside.js';
import { http } from '../support/http.js';

const LIMIT = 40;

describe('the rate limits of two processes on one database', () => {
  let app: TestApplication;
  let other: ApplicationBeside;
  let urls: string[];

  beforeAll(async () => {
    const limits = { GUILDBOOK_RATE_LIMIT_PRINCIPAL: String(LIMIT) };
    app = await startTestApplication(limits, false, { rateLimitRefused: 20 });
    other = await startBeside(app, limits, { rateLimitRefused: 20 });
    urls = [app.url, other.url];
    for (const server of [app.app, other.app]) await server.get(ServerProcesses).heartbeat();
  });
  afterAll(async () => {
    await other.close();
    await app.close();
  });

  /** The statuses of so many requests, by turns to both processes. */
  async function statuses(token: string, requests: number): Promise<number[]> {
    const answers: number[] = [];
    for (let n = 0; n < requests; n += 1) {
      answers.push((await http({ url: urls[n % 2] ?? '' }, token).get('/v1/me')).status);
    }
    return answers;
  }
  const count = (answers: readonly number[], status: number) => answers.filter((one) => one === status).length;

  it('admit together what one process would admit', async () => {
    const { token } = await app.agent('Ada');
    const answers = await statuses(token, 3 * LIMIT);
    expect([count(answers, 200), count(answers, 429)]).toEqual([LIMIT, 2 * LIMIT]);
  });

  it('bound the rejected credentials of an address over both', async () => {
    const answers = await statuses('gba_0000000000000000000000000000000000000000000', 60);
    expect([count(answers, 401), count(answers, 429)]).toEqual([20, 40]);
  });
});
