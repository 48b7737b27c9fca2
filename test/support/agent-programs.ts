import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Answers as `codex app-server` does: hooks of the installed plugin, and the trust that a client records. */
const APP_SERVER = `
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = process.env.HOME + '/codex-trust.json';
const trusted = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { 'other@shop:hooks.json:stop:0:0': {} });
const hook = (key) => ({ key, pluginId: 'guildbook@guildbook-connect', command: 'guildbook-hook codex ' + key, currentHash: 'sha256:1',
  trustStatus: trusted()[key] ? 'trusted' : 'untrusted' });
const METHODS = {
  initialize: () => ({}),
  'hooks/list': () => ({ data: [{ hooks: [hook('guildbook@guildbook-connect:a'), hook('guildbook@guildbook-connect:b')] }] }),
  'config/read': () => ({ config: { hooks: { state: trusted() } } }),
  'config/batchWrite': ({ edits: [{ value, mergeStrategy }] }) => {
    writeFileSync(file, JSON.stringify(mergeStrategy === 'upsert' ? { ...trusted(), ...value } : (value ?? {})));
    return { status: 'ok' };
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ id, result: METHODS[method](params) }));
});`;

/** A program that writes its arguments into `<home>/<name>.log`, and fails if `<home>/<name>.fails` exists. */
const program = (name: string): string => `#!${process.execPath}
const { appendFileSync, existsSync } = require('node:fs');
const words = process.argv.slice(2).join(' ');
if (words === 'app-server') {${APP_SERVER}
} else {
  appendFileSync(process.env.HOME + '/${name}.log', words + '\\n');
  if (existsSync(process.env.HOME + '/${name}.fails')) {
    console.error('the disk is full');
    process.exit(1);
  }
}
`;

/** Writes fake agent programs into a folder that goes first on the PATH. */
export async function writeAgentPrograms(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    const file = join(folder, name);
    await writeFile(file, program(name));
    await chmod(file, 0o755);
  }
}
