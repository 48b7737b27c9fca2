import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { JournalAudit } from '../../journal/journal-audit.service.js';
import { SystemClock } from '../../platform/base/clock.js';
import { JournalChecks } from './journal-checks.service.js';

/** The service uses only this method of the audit. */
const checksOver = (verify: JournalAudit['verify']) => new JournalChecks({ verify } as JournalAudit, new SystemClock());

it('a stopping server aborts a long verification, which then has no result', async () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  let pages = 0;
  const checks = checksOver(async (onRead = () => undefined) => {
    for (;;) {
      await new Promise(setImmediate);
      pages += 1;
      onRead(pages, 1_000_000);
    }
  });
  await checks.begin(1);
  expect(checks.last).toMatchObject({ status: 'running', total: 1_000_000 });
  await checks.onModuleDestroy();
  const seen = pages;
  await new Promise(setImmediate);
  expect([checks.last, pages]).toEqual([{ status: 'failed' }, seen]);
  expect(logged.mock.calls).toEqual([['the journal was not verified: the server stops']]);
  logged.mockRestore();
});
