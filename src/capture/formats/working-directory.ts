import { optional } from '../../platform/base/optional.js';
import { parseJson } from '../importers/import-tally.js';

const MAX_LINES = 50;
/** The text of a folder in JSON, where the records of the formats hold it. */
const FOLDER = /"cwd"\s?:\s?("(?:[^"\\]|\\.){1,1000}")/;
/** The folder in the container of a benchmark is none of a project: the folder of its files is. */
const NOT_NAMED: readonly RegExp[] = [];
const FOLDERS: Readonly<Record<string, readonly RegExp[]>> = {
  'mini-swe-agent': NOT_NAMED,
  'swe-agent': NOT_NAMED,
  'openhands-v0': NOT_NAMED,
  runs: NOT_NAMED,
  'openhands-v1': [/"working_dir"\s?:\s?(?!"\/(?:workspace(?:\/project)?|testbed)\/?")("(?:[^"\\]|\\.){1,1000}")/],
  opencode: [/"directory"\s?:\s?("(?:[^"\\]|\\.){1,1000}")/, FOLDER],
  gemini: [
    /"directories"\s?:\s?\[\s{0,20}("(?:[^"\\]|\\.){1,1000}")/,
    /\*\*Workspace Directories:\*\*\\n\s{1,8}- ((?:[^"\\]|\\[^n"]){1,1000})/,
  ],
};

/** The first working directory in a file of the format. Only its last folder and a hash leave the machine. */
export function workingDirectoryIn(lines: readonly string[], format: string): string | undefined {
  const first = lines.slice(0, MAX_LINES);
  for (const pattern of FOLDERS[format] ?? [FOLDER])
    for (const line of first) {
      const found = pattern.exec(line)?.[1];
      const folder = found === undefined ? undefined : parseJson(found.startsWith('"') ? found : `"${found}"`);
      if (typeof folder === 'string') return folder;
    }
  return undefined;
}

const MAIN_FOLDER = /"originalCwd"\s?:\s?("(?:[^"\\]|\\.){1,1000}")/;
const REMOTE = /"repository_url"\s?:\s?("(?:[^"\\]|\\.){1,1000}")/;

/** The main folder and the remote of the repository, as the first records of a session of Claude Code or Codex name them. */
export function repositoryFactsIn(lines: readonly string[], format: string): { root?: string; remote?: string } {
  const of = (pattern: RegExp): string | undefined => {
    for (const line of lines.slice(0, MAX_LINES)) {
      const found = parseJson(pattern.exec(line)?.[1] ?? '');
      if (typeof found === 'string' && found !== '') return found;
    }
    return undefined;
  };
  if (format === 'claude-code') return optional('root', of(MAIN_FOLDER));
  return format === 'codex' ? optional('remote', of(REMOTE)) : {};
}
