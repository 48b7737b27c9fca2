import { optional } from '../../platform/base/optional.js';
import {
  claudeCodeHooksImporter,
  codexHooksImporter,
  copilotHooksImporter,
  geminiHooksImporter,
  openCodeHooksImporter,
} from '../hook-events/hooks.importer.js';
import { claudeCodeImporter } from '../importers/claude-code.importer.js';
import { codexImporter } from '../importers/codex.importer.js';
import { parseJson } from '../importers/import-tally.js';
import type { TranscriptImporter } from '../importers/importer.js';
import { isFields } from '../importers/json-fields.js';
import { otelImporter } from '../traces/otel.importer.js';
import { atifImporter } from '../trajectories/atif.importer.js';
import { miniSweAgentImporter } from '../trajectories/mini-swe-agent.importer.js';
import { openHandsV0Importer } from '../trajectories/openhands-v0.importer.js';
import { openHandsV1Importer } from '../trajectories/openhands-v1.importer.js';
import { runsImporter } from '../trajectories/runs.importer.js';
import { sweAgentImporter } from '../trajectories/swe-agent.importer.js';
import { claudeCodeStreamImporter } from '../transcripts/claude-code-stream.importer.js';
import { codexStreamImporter } from '../transcripts/codex-stream.importer.js';
import { copilotImporter } from '../transcripts/copilot.importer.js';
import { cursorStreamImporter } from '../transcripts/cursor-stream.importer.js';
import { geminiImporter } from '../transcripts/gemini.importer.js';
import { openCodeImporter } from '../transcripts/opencode.importer.js';

/** In the order in which they are asked whether a record is theirs: those whose mark is rarest first. */
const IMPORTERS: readonly TranscriptImporter[] = [
  otelImporter,
  atifImporter,
  miniSweAgentImporter,
  openHandsV1Importer,
  openHandsV0Importer,
  sweAgentImporter,
  runsImporter,
  copilotHooksImporter,
  openCodeHooksImporter,
  codexHooksImporter,
  geminiHooksImporter,
  claudeCodeHooksImporter,
  codexImporter,
  codexStreamImporter,
  claudeCodeStreamImporter,
  cursorStreamImporter,
  copilotImporter,
  geminiImporter,
  openCodeImporter,
  claudeCodeImporter,
];

export const FORMATS: readonly string[] = IMPORTERS.map(({ format }) => format);

/** Lines that are read to detect a file's format. Transcripts can begin with lines that are not records. */
const MAX_LINES_SNIFFED = 50;

/** The importer of the given format, or of the format that the lines have; undefined if it is unknown. */
export function importerFor(format: string | undefined, lines: readonly string[]): TranscriptImporter | undefined {
  return format === undefined ? recognisedIn(lines) : IMPORTERS.find((importer) => importer.format === format);
}

function recognisedIn(lines: readonly string[]): TranscriptImporter | undefined {
  for (const line of lines.slice(0, MAX_LINES_SNIFFED)) {
    const importer = importerOf(parseJson(line));
    if (importer !== undefined) return importer;
  }
  // one JSON document over several lines
  return importerOf(parseJson(lines.join('\n')));
}

/** A file can be a list of records. */
function importerOf(value: unknown): TranscriptImporter | undefined {
  const records = (Array.isArray(value) ? value.slice(0, MAX_LINES_SNIFFED) : [value]).filter(isFields);
  return IMPORTERS.find((importer) => records.some((record) => importer.recognises(record)));
}

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
