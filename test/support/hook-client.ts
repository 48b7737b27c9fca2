import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';

export const HOOK_CLIENT = join(PROJECT_ROOT, 'plugins', 'guildbook-hook');

/** What the client sent. */
export interface HookRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export type Answer = (response: ServerResponse, socket: Socket) => void;

/** A server on loopback whose answer each test chooses. */
export class ScriptedServer {
  readonly requests: HookRequest[] = [];
  answer: Answer = (response) => response.end();
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('end', () => {
      const { url = '', headers, socket } = request;
      this.requests.push({ path: url, headers, body: Buffer.concat(chunks).toString('utf8') });
      this.answer(response, socket);
    });
  });

  /** Resolves when so many requests have come. */
  async received(count: number): Promise<void> {
    for (let tries = 0; this.requests.length < count && tries < 400; tries += 1) await sleep(50);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    // A server on TCP has an address of this form.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Writes the settings as `guildbook connect` does, in a home folder of the test. */
export async function writeHookSettings(
  home: string,
  product: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = join(home, '.config', 'guildbook');
  await mkdir(folder, { recursive: true });
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, `${product}.conf`), lines.join(''), { mode: 0o600 });
}

export interface HookRun {
  readonly exit: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the client as a product does. One that runs for 20 seconds is killed, which `exit` then says. */
export function runHook(
  shell: readonly string[],
  words: readonly string[],
  {
    home,
    input,
    environment = {},
    client = HOOK_CLIENT,
  }: { home: string; input: string; environment?: Record<string, string>; client?: string },
): Promise<HookRun> {
  const [command = 'sh', ...first] = shell;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, client, ...words], {
      env: { HOME: home, PATH: programPath(), ...environment },
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', (status, signal) =>
      resolve({
        exit: status ?? signal,
        stdout: Buffer.concat(out).toString('latin1'),
        stderr: Buffer.concat(err).toString('latin1'),
      }),
    );
    child.stdin.end(input);
  });
}
