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
