import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { MARKETPLACE, PLUGIN } from './products.js';
import type { RunOptions } from './run-program.js';

const LIMIT_MS = 60_000;
const OURS = `${PLUGIN}@${MARKETPLACE}`;

const Hook = z.looseObject({
  key: z.string(),
  pluginId: z.string().nullish(),
  command: z.string().nullish(),
  currentHash: z.string(),
  trustStatus: z.string(),
});
const HookList = z.looseObject({ data: z.array(z.looseObject({ hooks: z.array(Hook) })) });
const Configuration = z.looseObject({
  config: z.looseObject({ hooks: z.looseObject({ state: z.record(z.string(), z.unknown()).nullish() }).nullish() }),
});
const Message = z.looseObject({
  id: z.number(),
  result: z.unknown(),
  error: z.looseObject({ message: z.string() }).optional(),
});

/** A hook of our plugin, as Codex lists it. Codex runs no hook before a person trusts it. */
export type CodexHook = Pick<z.infer<typeof Hook>, 'key' | 'command' | 'currentHash' | 'trustStatus'>;

type Call = (method: string, params: object) => Promise<unknown>;

/** The hooks of our plugin with their trust. */
export const listHooks = (codex: string, options: RunOptions): Promise<CodexHook[]> =>
  withAppServer(codex, options, (call) => hooksOf(call, options.cwd));

/** Records that a person trusts these hooks as they are now, which `/hooks` in Codex does as well. */
export const trustHooks = (codex: string, options: RunOptions, hooks: readonly CodexHook[]): Promise<CodexHook[]> =>
  withAppServer(codex, options, async (call) => {
    const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
    await call('config/batchWrite', { edits: [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }] });
    return hooksOf(call, options.cwd);
  });

/** Removes the recorded trust in our hooks, and nothing else. */
export const forgetTrust = (codex: string, options: RunOptions): Promise<void> =>
  withAppServer(codex, options, async (call) => {
    const { config } = Configuration.parse(await call('config/read', {}));
    const state = Object.entries(config.hooks?.state ?? {});
    const others = state.filter(([key]) => !key.startsWith(OURS));
    if (others.length === state.length) return;
    const value = others.length === 0 ? null : Object.fromEntries(others);
    await call('config/batchWrite', { edits: [{ keyPath: 'hooks.state', value, mergeStrategy: 'replace' }] });
  });

async function hooksOf(call: Call, cwd: string): Promise<CodexHook[]> {
  const { data } = HookList.parse(await call('hooks/list', { cwds: [cwd] }));
  return data.flatMap(({ hooks }) => hooks).filter(({ pluginId }) => pluginId === OURS);
}

/** Starts `codex app-server`, which speaks JSON-RPC on lines, and ends it after the work. */
async function withAppServer<T>(codex: string, options: RunOptions, work: (call: Call) => Promise<T>): Promise<T> {
  const child = spawn(codex, ['app-server'], {
    cwd: options.cwd,
    env: { ...options.environment },
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (message: z.infer<typeof Message>) => void>();
  const ended = new Promise<never>((_, reject) => {
    const fail = () =>
      reject(new CliError(EXIT.failed, 'connect.no_app_server', '"codex app-server" does not answer.'));
    child.once('error', fail);
    child.once('close', fail);
  });
  // Without a call under way, its end is no failure.
  ended.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = Message.safeParse(parseJson(line));
    if (message.success) waiting.get(message.data.id)?.(message.data);
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  let last = 0;
  const call: Call = async (method, params) => {
    last += 1;
    const id = last;
    const answer = new Promise<z.infer<typeof Message>>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const { result, error } = await Promise.race([answer, ended]);
    if (error) throw new CliError(EXIT.failed, 'connect.no_app_server', `Codex refused ${method}: ${error.message}`);
    return result;
  };
  try {
    await call('initialize', { clientInfo: { name: 'guildbook', version: '1' } });
    send({ method: 'initialized' });
    return await work(call);
  } finally {
    child.kill();
  }
}
