import { sha256 } from '../../platform/base/canonical-json.js';
import type { DerivedExecutions } from '../importers/importer.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { FORMATS, importerFor } from './foreign-formats.js';

export interface PastedTranscript {
  readonly reports: readonly ExecutionReport[];
  readonly omitted: DerivedExecutions['omitted'];
}

/**
 * The executions of one transcript that was pasted as text, or the known formats if its format is unknown. A session
 * without an id gets one from the text, so that the same text is always the same execution. `recordedAt` (ISO 8601) is
 * used for formats without a time. The result is not redacted yet.
 */
export function readPastedTranscript(
  text: string,
  recordedAt: string,
): PastedTranscript | { readonly formats: readonly string[] } {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  const importer = importerFor(undefined, lines);
  if (importer === undefined) return { formats: FORMATS };
  const sessionHint = `pasted-${sha256(lines.join('\n')).slice(0, 16)}`;
  const { reports, omitted, counts } = importer.derive(lines, { sessionHint, recordedAt });
  const bad = counts.badLines > 0 ? [{ reason: 'lines that are no readable record', count: counts.badLines }] : [];
  return { reports, omitted: [...omitted, ...bad] };
}
