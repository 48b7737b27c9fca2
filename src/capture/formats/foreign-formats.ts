import { claudeCodeHooksImporter, codexHooksImporter } from '../hook-events/hooks.importer.js';
import { atifImporter } from '../importers/atif.importer.js';
import { claudeCodeImporter } from '../importers/claude-code.importer.js';
import { codexImporter } from '../importers/codex.importer.js';
import { parseJson } from '../importers/import-tally.js';
import type { TranscriptImporter } from '../importers/importer.js';
import { otelImporter } from '../traces/otel.importer.js';

const IMPORTERS: ReadonlyMap<string, TranscriptImporter> = new Map(
  [claudeCodeImporter, codexImporter, otelImporter, atifImporter, claudeCodeHooksImporter, codexHooksImporter].map(
    (importer) => [importer.format, importer],
  ),
);

export const FORMATS: readonly string[] = [...IMPORTERS.keys()];

/** Lines that are read to detect a file's format. Transcripts can begin with lines that are not records. */
const MAX_LINES_SNIFFED = 50;
const CODEX_TYPES: ReadonlySet<unknown> = new Set(['session_meta', 'event_msg', 'response_item', 'turn_context']);

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
  // both agents use the same shape; only Codex sends turn ids
  if (has('hook_event_name')) return (has('turn_id') ? codexHooksImporter : claudeCodeHooksImporter).format;
  if (has('payload') && 'type' in record && CODEX_TYPES.has(record.type)) return codexImporter.format;
  return has('sessionId') && has('type') ? claudeCodeImporter.format : undefined;
}
