import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { GatheredFormat, NewPiece, PieceSays, StoredPiece } from '../importers/gathered-format.js';
import { ImportTally, parseJson, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, TranscriptImporter } from '../importers/importer.js';
import { type ExportTraceRequest, OtlpSpan, ExportTraceRequest as Request } from './otlp.schema.js';
import { type Attributes, attributesOf } from './otlp-attributes.js';
import { executionsOfTrace } from './trace-execution.js';
import { pieceOf, type SpanPiece } from './trace-span.js';

export const otelFormat: GatheredFormat = { format: 'otel', assemble: executionsOfTrace };

/** The pieces of one trace that one resource sent. */
export interface TracePieces {
  readonly trace: string;
  readonly resource: Attributes;
  readonly pieces: readonly NewPiece[];
}

/** What an export holds, by resource and trace, redacted; and how many of its spans are none that can be read. */
export function readExport(request: ExportTraceRequest): { traces: TracePieces[]; unreadable: number } {
  let unreadable = 0;
  const traces = (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
    const byTrace = new Map<string, NewPiece[]>();
    for (const raw of (scopeSpans ?? []).flatMap(({ spans }) => spans ?? [])) {
      const span = OtlpSpan.safeParse(raw);
      if (!span.success) {
        unreadable += 1;
        continue;
      }
      const piece = pieceOf(span.data);
      const known = byTrace.get(piece.trace);
      if (known === undefined) byTrace.set(piece.trace, [newPiece(piece)]);
      else known.push(newPiece(piece));
    }
    const attributes = attributesOf(resource?.attributes);
    return [...byTrace].map(([trace, pieces]) => ({ trace, resource: attributes, pieces }));
  });
  return { traces, unreadable };
}

function newPiece({ key, parentKey, joinKey, facts }: SpanPiece): NewPiece {
  const { value, findings } = redactDeep(facts);
  return { key, parentKey, joinKey, says: saysOf(facts.kind, parentKey), facts: value, findings };
}

/** A span is sent when it has ended: the root's is the end of everything, an agent's perhaps that of its execution. */
function saysOf(kind: SpanPiece['facts']['kind'], parentKey: string | undefined): PieceSays {
  if (parentKey === undefined) return 'ended';
  return kind === 'agent' ? 'paused' : 'nothing';
}

/** Files of OTLP/JSON: one export, or one in each line as a collector's file exporter writes them. */
export const otelImporter: TranscriptImporter = {
  format: 'otel',
  derive(lines: Iterable<string>): DerivedExecutions {
    const tally = new ImportTally();
    const traces = new Map<string, Map<string, StoredPiece>>();
    for (const request of requestsIn([...lines], tally)) {
      const { traces: read, unreadable } = readExport(request);
      tally.leave('span that cannot be read', unreadable);
      for (const { trace, pieces } of read) {
        const known = traces.get(trace) ?? new Map<string, StoredPiece>();
        traces.set(trace, known);
        for (const piece of pieces) if (!known.has(piece.key)) known.set(piece.key, stored(piece));
      }
    }
    const executions = [...traces].flatMap(([trace, pieces]) =>
      executionsOfTrace(trace, [...pieces.values()], 'expired', tally),
    );
    return {
      reports: executions.map(({ report }) => report),
      skillUses: executions.flatMap(({ skillUses }) => skillUses),
      counts: tally.counts(),
      left: tally.left(),
    };
  },
};

const stored = ({ parentKey, joinKey, ...piece }: NewPiece): StoredPiece => ({
  ...piece,
  parentKey: parentKey ?? null,
  joinKey: joinKey ?? null,
});

function requestsIn(lines: readonly string[], tally: ImportTally): ExportTraceRequest[] {
  const whole = lines.length > 1 ? Request.safeParse(parseJson(lines.join('\n'))) : undefined;
  if (whole?.success === true) {
    tally.lines += lines.length;
    return [whole.data];
  }
  return lines.flatMap((line) => {
    const value = readLine(line, tally);
    if (value === undefined) return [];
    const request = Request.safeParse(value);
    if (!request.success) tally.badLines += 1;
    return request.success ? [request.data] : [];
  });
}
