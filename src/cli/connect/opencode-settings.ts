import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  parseTree,
} from 'jsonc-parser';
import { CliError, EXIT } from '../terminal/cli-error.js';

const FORMAT: FormattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
const SERVER: JSONPath = ['mcp', 'guildbook'];

/** The settings of OpenCode with the plugin and the MCP server of Guildbook; comments and layout of the rest stay. */
export function withGuildbook(text: string, { plugin, server }: { plugin: string; server: string }): string {
  const known = valueAt(text, SERVER);
  if (known !== undefined && !isOurs(known, server))
    throw new CliError(
      EXIT.failed,
      'connect.name_taken',
      'The settings of OpenCode already have another MCP server with the name "guildbook". Nothing was changed.',
      'Rename or remove it, then run the same command again.',
    );
  const plugins = valueAt(text, ['plugin']);
  const added =
    Array.isArray(plugins) && plugins.includes(plugin)
      ? text
      : edited(
          text,
          Array.isArray(plugins) ? ['plugin', plugins.length] : ['plugin'],
          Array.isArray(plugins) ? plugin : [plugin],
        );
  return known === undefined
    ? edited(added, SERVER, { type: 'local', command: [server, 'opencode'], enabled: true })
    : added;
}

const FOLDERS: JSONPath = ['skills', 'paths'];

/** True if OpenCode takes skills from this folder, or from this index that a person named. */
export const namesSkills = (text: string, place: string): boolean =>
  [FOLDERS, ['skills', 'urls']].some((path) => {
    const known = valueAt(text, path);
    return Array.isArray(known) && known.includes(place);
  });

/** The settings with one more folder of skills. Throws a `CliError` if they have something else in its place. */
export function withSkills(text: string, folder: string): string {
  if (namesSkills(text, folder)) return text;
  const [skills, known] = [valueAt(text, ['skills']), valueAt(text, FOLDERS)];
  const isUsable = skills === undefined || (typeof skills === 'object' && skills !== null && !Array.isArray(skills));
  if (!isUsable || (known !== undefined && !Array.isArray(known)))
    throw new CliError(EXIT.failed, 'connect.unusable_value', 'It has something other than lists under "skills".');
  return known === undefined ? edited(text, FOLDERS, [folder]) : edited(text, [...FOLDERS, known.length], folder);
}

/** The settings without the folder, and without the sections that it alone filled. */
export function withoutSkills(text: string, folder: string): string {
  const known = valueAt(text, FOLDERS);
  if (!Array.isArray(known) || !known.includes(folder)) return text;
  if (known.length > 1) return edited(text, [...FOLDERS, known.indexOf(folder)], undefined);
  const rest = edited(text, FOLDERS, undefined);
  const skills = valueAt(rest, ['skills']);
  const isEmpty = typeof skills === 'object' && skills !== null && Object.keys(skills).length === 0;
  return isEmpty ? edited(rest, ['skills'], undefined) : rest;
}

/** The settings without the two entries, and without the sections that they alone filled. */
export function withoutGuildbook(text: string, { plugin, server }: { plugin: string; server: string }): string {
  let rest = text;
  const plugins = valueAt(rest, ['plugin']);
  if (Array.isArray(plugins) && plugins.includes(plugin))
    rest = edited(rest, plugins.length === 1 ? ['plugin'] : ['plugin', plugins.indexOf(plugin)], undefined);
  if (isOurs(valueAt(rest, SERVER), server)) rest = edited(rest, SERVER, undefined);
  const servers = valueAt(rest, ['mcp']);
  const isEmpty = typeof servers === 'object' && servers !== null && Object.keys(servers).length === 0;
  return isEmpty ? edited(rest, ['mcp'], undefined) : rest;
}

function valueAt(text: string, path: JSONPath): unknown {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, path);
  return node === undefined ? undefined : getNodeValue(node);
}

const isOurs = (entry: unknown, server: string): boolean =>
  typeof entry === 'object' &&
  entry !== null &&
  'command' in entry &&
  Array.isArray(entry.command) &&
  entry.command[0] === server;

const edited = (text: string, path: JSONPath, value: unknown): string =>
  applyEdits(
    text,
    modify(text, path, value, {
      formattingOptions: FORMAT,
      isArrayInsertion: typeof path.at(-1) === 'number' && value !== undefined,
    }),
  );
