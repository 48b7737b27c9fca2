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

/** Writes what the real programs write about a marketplace and its plugin. */
const SETTINGS = `
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const HOME = process.env.HOME;
const change = (file, edit) => {
  const path = join(HOME, file);
  const value = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  edit(value);
  mkdirSync(dirname(path), { recursive: true });
  if (Object.keys(value).length > 0) writeFileSync(path, JSON.stringify(value));
  else if (existsSync(path)) rmSync(path);
};
const set = (file, section, key, value) => change(file, (all) => {
  const part = section === '' ? all : (all[section] ??= {});
  if (value === undefined) delete part[key];
  else part[key] = value;
  if (section !== '' && Object.keys(part).length === 0) delete all[section];
});
const FILES = {
  claude: { marketplace: ['.claude/plugins/known_marketplaces.json', ''], plugin: ['.claude/plugins/installed_plugins.json', 'plugins'] },
  copilot: { marketplace: ['.copilot/settings.json', 'extraKnownMarketplaces'], plugin: ['.copilot/settings.json', 'enabledPlugins'] },
};
function remember(name, [word, verb, ...rest]) {
  if (FILES[name] === undefined || word !== 'plugin') return;
  if (verb === 'marketplace' && rest[0] === 'add') set(...FILES[name].marketplace, /^[/]/.test(rest[1]) ? 'guildbook-connect' : 'guildbook', {});
  if (verb === 'marketplace' && rest[0] === 'remove') set(...FILES[name].marketplace, rest[1], undefined);
  if (verb === 'install') set(...FILES[name].plugin, rest[0], true);
  if (verb === 'uninstall') set(...FILES[name].plugin, rest[0], undefined);
}`;

/**
 * A program that writes its arguments into `<home>/<name>.log`. It fails if `<home>/<name>.fails` exists and its
 * arguments hold the text of that file.
 */
const program = (name: string): string => `#!${process.execPath}
const { appendFileSync, existsSync } = require('node:fs');
const words = process.argv.slice(2).join(' ');
if (words === 'app-server') {${APP_SERVER}
} else {
  appendFileSync(process.env.HOME + '/${name}.log', words + '\\n');
  const fails = process.env.HOME + '/${name}.fails';
  if (existsSync(fails) && words.includes(require('node:fs').readFileSync(fails, 'utf8'))) {
    console.error('the disk is full');
    process.exit(1);
  }
  {${SETTINGS}
  remember('${name}', process.argv.slice(2));
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
