import {
  claudeCodeHooksImporter,
  codexHooksImporter,
  copilotHooksImporter,
  geminiHooksImporter,
  openCodeHooksImporter,
} from '../hook-events/hooks.importer.js';
import { atifImporter } from '../importers/atif.importer.js';
import { claudeCodeImporter } from '../importers/claude-code.importer.js';
import { codexImporter } from '../importers/codex.importer.js';
import { parseJson } from '../importers/import-tally.js';
import type { TranscriptImporter } from '../importers/importer.js';
import { otelImporter } from '../traces/otel.importer.js';
import { copilotImporter } from '../transcripts/copilot.importer.js';
import { geminiImporter } from '../transcripts/gemini.importer.js';
import { openCodeImporter } from '../transcripts/opencode.importer.js';

const IMPORTERS: ReadonlyMap<string, TranscriptImporter> = new Map(
  [
    claudeCodeImporter,
    codexImporter,
    geminiImporter,
    openCodeImporter,
    copilotImporter,
    otelImporter,
    atifImporter,
    claudeCodeHooksImporter,
    codexHooksImporter,
    geminiHooksImporter,
    openCodeHooksImporter,
    copilotHooksImporter,
  ].map((importer) => [importer.format, importer]),
);

export const FORMATS: readonly string[] = [...IMPORTERS.keys()];

/** Lines that are read to detect a file's format. Transcripts can begin with lines that are not records. */
const MAX_LINES_SNIFFED = 50;
const CODEX_TYPES: ReadonlySet<unknown> = new Set(['session_meta', 'event_msg', 'response_item', 'turn_context']);
const COPILOT_TYPE = /^(?:session|user|assistant|tool|hook|system|permission|subagent|skill)\.[a-z_]+$/;
const GEMINI_EVENT = /^(?:Before|After)(?:Agent|Tool|Model|ToolSelection)$/;

/** The importer of the given format, or of the format that the lines have; undefined if it is unknown. */
export function importerFor(format: string | undefined, lines: readonly string[]): TranscriptImporter | undefined {
  return IMPORTERS.get(format ?? formatOf(lines) ?? '');
}

function formatOf(lines: readonly string[]): string | undefined {
  for (const line of lines.slice(0, MAX_LINES_SNIFFED)) {
    const format = formatOfRecord(parseJson(line));
    if (format !== undefined) return format;
  }
  // one JSON document over several lines
  return formatOfRecord(parseJson(lines.join('\n')));
}

function formatOfRecord(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const has = (key: string): boolean => key in record;
  if (has('resourceSpans')) return otelImporter.format;
  if (has('trial_name') || ('schema_version' in record && /^ATIF-v/.test(String(record.schema_version))))
    return atifImporter.format;
  if ('hook_event_name' in record) return hooksFormatIn(record.hook_event_name, record);
  if (has('payload') && 'type' in record && CODEX_TYPES.has(record.type)) return codexImporter.format;
  if ('data' in record && 'type' in record && COPILOT_TYPE.test(String(record.type))) return copilotImporter.format;
  if (has('projectHash') && has('sessionId')) return geminiImporter.format;
  if (has('info') && has('messages')) return openCodeImporter.format;
  return has('sessionId') && has('type') ? claudeCodeImporter.format : undefined;
}

/** The products share most names. Each has something that no other one sends. */
function hooksFormatIn(event: unknown, record: object): string {
  if ('sessionId' in record) return copilotHooksImporter.format;
  if ('worktree' in record || /^[a-z]+\./.test(String(event))) return openCodeHooksImporter.format;
  if ('turn_id' in record) return codexHooksImporter.format;
  const isGemini = 'timestamp' in record || GEMINI_EVENT.test(String(event));
  return (isGemini ? geminiHooksImporter : claudeCodeHooksImporter).format;
}
