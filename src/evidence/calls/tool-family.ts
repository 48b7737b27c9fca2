import { isShellTool, SHELL_TOOL_NAMES } from '../../untrusted/shell/shell-tool.js';

/** Purposes of the tools of coding agents, by name in lower case. */
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ...purposeEntries('file:read', 'read read_file readfile view open_file notebookread'),
  ...purposeEntries('file:write', 'write write_file create_file'),
  ...purposeEntries(
    'file:edit',
    'edit multiedit notebookedit edit_file str_replace replace apply_patch str_replace_editor',
  ),
  ...purposeEntries('file:search', 'grep search grep_search search_file_content'),
  ...purposeEntries('file:find', 'glob file_search find_files'),
  ...purposeEntries('list', 'ls list_dir list_directory'),
  ...purposeEntries('web:fetch', 'webfetch web_fetch fetch'),
  ...purposeEntries('web:search', 'websearch web_search google_web_search'),
  ...purposeEntries('agent', 'task agent'),
  ...purposeEntries('skill', 'skill'),
  ...purposeEntries('plan', 'todowrite todoread update_plan taskcreate taskupdate exitplanmode'),
  ...purposeEntries('shell:output', 'bashoutput taskoutput'),
  ...purposeEntries('shell:kill', 'killshell killbash taskstop'),
]);

function purposeEntries(purpose: string, tools: string): [string, string][] {
  return tools.split(' ').map((tool) => [tool, purpose]);
}

/** Returns the purpose of a known tool other than a shell, such as `file:read`. */
export const knownPurpose = (tool: string): string | undefined => PURPOSES.get(tool.toLowerCase());

const SHELL = 'shell';

/** Returns what all names of one kind of tool have in common: `shell`, a purpose, or the name itself in lower case. */
export const toolFamily = (tool: string): string =>
  isShellTool(tool) ? SHELL : (knownPurpose(tool) ?? tool.toLowerCase());

/** Names that are words of ordinary texts, which seldom mean the tool there. */
const ORDINARY: ReadonlySet<string> = new Set(
  'read view write edit replace search fetch task agent skill list terminal sh'.split(' '),
);

/** Returns the names, in lower case, by which a text speaks of a family of tools. */
export const namesOfFamily = (family: string): readonly string[] =>
  (family === SHELL
    ? [...SHELL_TOOL_NAMES]
    : [...PURPOSES].filter(([, purpose]) => purpose === family).map(([name]) => name)
  ).filter((name) => !ORDINARY.has(name));
