import { Logger } from '@nestjs/common';
import { firstStartNotice } from './access/sign-in/first-start-notice.js';
import { startApplication } from './application.js';
import { closeOnSignal } from './platform/background/stop-on-signal.js';
import { messageOf, stackOf } from './platform/base/error-text.js';
import { SettingsError } from './platform/config/config.errors.js';
import { loadConfig, logFormatBeforeStart } from './platform/config/config.js';
import { loadSettingsFile } from './platform/config/settings-file.js';
import { StartError } from './platform/start/start.errors.js';
import { limitHeapGrowth } from './platform/telemetry/heap.js';
import { keepRunningWithoutLog } from './platform/telemetry/log-output.js';
import { ServerLogger } from './platform/telemetry/server-logger.js';
import { redact } from './untrusted/redaction/redact.js';

/**
 * Starts the server and returns once it listens; a signal stops it. Ends the process if it cannot start: with status 2
 * if the settings are wrong, as after a wrong option, and with 1 otherwise. With `json`, the address or the error is one
 * line of JSON.
 */
export async function serve(settingsFile?: string, { migrate = true, json = false } = {}): Promise<void> {
  try {
    limitHeapGrowth();
    logInFormat();
    keepRunningWithoutLog(new Logger('Log'));
    process.on('uncaughtException', endByError);
    loadSettingsFile(settingsFile);
    // The file may hold another format.
    logInFormat();
    const running = await startApplication(loadConfig(), undefined, migrate);
    void closeOnSignal(() => running.close(), new Logger('Server'), { left: () => running.left() });
    if (json) return console.log(JSON.stringify({ url: running.url, database: running.database }));
    say(`Guildbook is listening on ${running.url} (${running.database} database; API: ${running.url}/v1/docs)`);
    if (process.stdout.isTTY === true) console.log('It runs until you press Ctrl-C.');
    const notice = firstStartNotice(running.administrator, running.url, process.stdout.isTTY === true);
    if (notice !== undefined) say(notice);
  } catch (error) {
    const message = `Guildbook cannot start: ${redact(messageOf(error)).text}`;
    if (json) console.error(JSON.stringify({ error: { code: codeOf(error), message } }));
    else if (isForPerson(process.stderr)) console.error(message);
    else new Logger('Server').error(message, { code: codeOf(error) });
    process.exit(error instanceof SettingsError ? 2 : 1);
  }
}

function logInFormat(): void {
  Logger.overrideLogger(new ServerLogger(logFormatBeforeStart(), (text) => redact(text).text));
}

/** Plain lines for the person at a terminal, or who asked for text. Otherwise all output is records. */
function say(text: string): void {
  if (isForPerson(process.stdout)) console.log(text);
  else new Logger('Server').log(text);
}

const isForPerson = ({ isTTY }: { isTTY?: boolean }): boolean => isTTY === true || logFormatBeforeStart() === 'text';

/** Node would print the error as it is, with all that its message quotes. */
function endByError(error: unknown): void {
  new Logger('Server').fatal(`ended by an unexpected error: ${stackOf(error)}`);
  process.exit(1);
}

function codeOf(error: unknown): string {
  if (error instanceof StartError) return error.code;
  return error instanceof SettingsError ? 'settings.invalid' : 'server.cannot_start';
}
