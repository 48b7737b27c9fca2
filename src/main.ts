import { Logger } from '@nestjs/common';
import { startApplication } from './application.js';
import { closeOnSignal } from './platform/background/stop-on-signal.js';
import { messageOf } from './platform/base/error-text.js';
import { loadConfig } from './platform/config/config.js';
import { loadEnvironmentFile } from './platform/config/environment.js';
import { limitHeapGrowth } from './platform/telemetry/heap.js';

try {
  limitHeapGrowth();
  loadEnvironmentFile();
  const running = await startApplication(loadConfig());
  void closeOnSignal(() => running.close(), new Logger('Server'));
  // Plain lines for the person at the terminal; everything else is the structured log.
  console.log(`Guildbook is listening on ${running.url} (${running.database} database; API: ${running.url}/v1/docs)`);
  if (running.firstAdministratorToken)
    console.log(
      `No administrator has signed in yet. Sign in with this one-time token (valid for 7 days; not shown again):\n  guildbook login --server ${running.url} --token ${running.firstAdministratorToken}\nor, in a browser on this machine:\n  ${running.url}/sign-in?token=${running.firstAdministratorToken}`,
    );
} catch (error) {
  console.error(`Guildbook cannot start: ${messageOf(error)}`);
  process.exit(1);
}
