import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { loadConfig } from '../../src/platform/config/config.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet, reportPythonFleet } from '../support/fleet.js';
import { type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { report } from '../support/reports.js';

let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterEach(async () => {
  api.forget();
  await app.close();
});
afterAll(() => api.close());

describe('GUILDBOOK_PROPOSER_TEMPERATURE', () => {
  const start = (model: string, logger: LoggerService | false = false) =>
    startTestApplication(
      {
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'scripted',
        GUILDBOOK_PROPOSER_MODEL: model,
        GUILDBOOK_PROPOSER_TEMPERATURE: '0.7',
      },
      logger,
    );
  const temperatures = () => new Set(api.requests.map(({ body }) => body['temperature']));

  it('goes with each question about lessons and words to a model that takes it', async () => {
    app = await start('claude-haiku-4-5');
    await proposedByFleet(app, ['ada', 'ben', 'cem']);
    const systems = new Set(api.requests.map(({ body }) => body.system[0]?.text));
    expect(systems.size).toBeGreaterThanOrEqual(2);
    expect(temperatures()).toEqual(new Set([0.7]));
  });

  it('is not sent to a newer model, and the server warns at the start', async () => {
    const warnings: string[] = [];
    const ignore = () => {};
    const logger = { log: ignore, error: ignore, warn: (message: string) => warnings.push(message) };
    app = await start('claude-haiku-5-5', logger);
    await reportPythonFleet(app, ['ada']);
    expect(temperatures()).toEqual(new Set([undefined]));
    expect(warnings).toContain(
      'GUILDBOOK_PROPOSER_TEMPERATURE: no effect, because claude-haiku-5-5 takes no temperature.',
    );
  });
});

describe('GUILDBOOK_SUCCESS_QUALITY', () => {
  it('bounds which verified successes teach', async () => {
    app = await startTestApplication({ GUILDBOOK_SUCCESS_QUALITY: '9.25,0', GUILDBOOK_CAPTURE: 'success' });
    const qualities = [9.2, 9.25];
    for (const [n, qualityScore] of qualities.entries()) {
      const { client } = await app.agent(`Agent ${n}`, 'Books');
      await client.executions.report(
        report({
          executionId: `execution-${n}`,
          verification: { outcome: 'succeeded', source: 'test' },
          qualityScore,
        }),
      );
    }
    await app.settled();
    const payloads = await app.database.client.analysisPayload.findMany({ select: { kind: true } });
    expect(payloads).toEqual([{ kind: 'success' }]);
  });
});

describe('GUILDBOOK_PROPOSER_MAX_TOKENS and GUILDBOOK_PROPOSER_MIN_CONFIDENCE', () => {
  it('bound an answer of the model, and which of its lessons are stored', async () => {
    const outcomes = async (settings: Record<string, string>) => {
      app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted', ...settings });
      await reportPythonFleet(app, ['ada']);
      await app.settled();
      return app.database.client.proposerCall.findMany({ select: { outcome: true } });
    };
    // the scripted lesson has a confidence of 0.8
    const refused = await outcomes({
      GUILDBOOK_PROPOSER_MIN_CONFIDENCE: '0.9',
      GUILDBOOK_PROPOSER_MAX_TOKENS: '900',
    });
    expect(refused).toContainEqual({ outcome: 'low_confidence' });
    expect(api.requests.map(({ body }) => body.max_tokens)).toContain(900);
    await app.close();
    expect(await outcomes({ GUILDBOOK_PROPOSER_MIN_CONFIDENCE: '0.8' })).not.toContainEqual({
      outcome: 'low_confidence',
    });
    expect(() => loadConfig({ GUILDBOOK_PROPOSER_MIN_CONFIDENCE: '1.5' })).toThrow(
      /GUILDBOOK_PROPOSER_MIN_CONFIDENCE.*0 to 1/s,
    );
  });
});
