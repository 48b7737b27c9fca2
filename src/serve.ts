import { Logger } from '@nestjs/common';
import { firstStartNotice } from './access/sign-in/first-start-notice.js';
import { startApplication } from './application.js';
import { closeOnSignal } from './platform/background/stop-on-signal.js';
import { messageOf } from './platform/base/error-text.js';
import { SettingsError } from './platform/config/config.errors.js';
import { loadConfig } from './platform/config/config.js';
import { loadSettingsFile } from './platform/config/settings-file.js';
import { StartError } from './platform/start/start.errors.js';
import { limitHeapGrowth } from './platform/telemetry/heap.js';
import { redact } from './untrusted/redaction/redact.js';

/**
 * Starts the server and returns once it listens; a signal stops it. Ends the process if it cannot start: with status 2
 * if the settings are wrong, as after a wrong option, and with 1 otherwise. With `json`, the address or the error is one
 * line of JSON.
 */
export async function serve(settingsFile?: string, { migrate = true, json = false } = {}): Promise<void> {
  try {
    limitHeapGrowth();
    loadSettingsFile(settingsFile);
    const running = await startApplication(loadConfig(), undefined, migrate);
    void closeOnSignal(() => running.close(), new Logger('Server'), { left: () => running.left() });
    if (json) return console.log(JSON.stringify({ url: running.url, database: running.database }));
    // Plain lines for the person at the terminal; everything else is the structured log.
    console.log(`Guildbook is listening on ${running.url} (${running.database} database; API: ${running.url}/v1/docs)`);
    const notice = firstStartNotice(running.administrator, running.url, process.stdout.isTTY === true);
    if (notice !== undefined) console.log(notice);
  } catch (error) {
    const message = `Guildbook cannot start: ${redact(messageOf(error)).text}`;
    console.error(json ? JSON.stringify({ error: { code: codeOf(error), message } }) : message);
    process.exit(error instanceof SettingsError ? 2 : 1);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof StartError) return error.code;
  return error instanceof SettingsError ? 'settings.invalid' : 'server.cannot_start';
}
