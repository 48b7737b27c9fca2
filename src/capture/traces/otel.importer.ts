import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { FragmentFormat, FragmentSignal, NewFragment, StoredFragment } from '../importers/fragment-format.js';
import { ImportTally, parseJson, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, TranscriptImporter } from '../importers/importer.js';
import { type ExportTraceRequest, OtlpSpan, ExportTraceRequest as Request } from './otlp.schema.js';
import { type Attributes, attributesOf } from './otlp-attributes.js';
import { assembleTraceExecutions } from './trace-execution.js';
import { type SpanFragment, spanFragment } from './trace-span.js';

export const otelFormat: FragmentFormat = { format: 'otel', assemble: assembleTraceExecutions };

/** The pieces of one trace that one resource sent. */
export interface TraceFragments {
  readonly trace: string;
  readonly resource: Attributes;
  readonly fragments: readonly NewFragment[];
}

/** What an export holds, by resource and trace, redacted; and how many of its spans are none that can be read. */
export function readExport(request: ExportTraceRequest): { traces: TraceFragments[]; unreadable: number } {
  let unreadable = 0;
  const traces = (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
    const byTrace = new Map<string, NewFragment[]>();
    for (const raw of (scopeSpans ?? []).flatMap(({ spans }) => spans ?? [])) {
      const span = OtlpSpan.safeParse(raw);
      if (!span.success) {
        unreadable += 1;
        continue;
      }
      const piece = spanFragment(span.data);
      const known = byTrace.get(piece.trace);
      if (known === undefined) byTrace.set(piece.trace, [newPiece(piece)]);
      else known.push(newPiece(piece));
    }
    const attributes = attributesOf(resource?.attributes);
    return [...byTrace].map(([trace, fragments]) => ({ trace, resource: attributes, fragments }));
  });
  return { traces, unreadable };
}

function newPiece({ key, parentKey, joinKey, facts }: SpanFragment): NewFragment {
  const { value, redactions: findings } = redactDeep(facts);
  return { key, parentKey, joinKey, signal: signalOf(facts.kind, parentKey), facts: value, findings };
}

/** A span is sent when it has ended: the root's is the end of everything, an agent's perhaps that of its execution. */
function signalOf(kind: SpanFragment['facts']['kind'], parentKey: string | undefined): FragmentSignal {
  if (parentKey === undefined) return 'ended';
  return kind === 'agent' ? 'paused' : 'nothing';
}

/** Files of OTLP/JSON: one export, or one in each line as a collector's file exporter writes them. */
export const otelImporter: TranscriptImporter = {
  format: 'otel',
  derive(lines: Iterable<string>): DerivedExecutions {
    const tally = new ImportTally();
    const traces = new Map<string, Map<string, StoredFragment>>();
    for (const request of requestsIn([...lines], tally)) {
      const { traces: read, unreadable } = readExport(request);
      tally.omit('span that cannot be read', unreadable);
      for (const { trace, fragments: pieces } of read) {
        const known = traces.get(trace) ?? new Map<string, StoredFragment>();
        traces.set(trace, known);
        for (const piece of pieces) if (!known.has(piece.key)) known.set(piece.key, stored(piece));
      }
    }
    const executions = [...traces].flatMap(([trace, pieces]) =>
      assembleTraceExecutions(trace, [...pieces.values()], 'expired', tally),
    );
    return {
      reports: executions.map(({ report }) => report),
      skillUses: executions.flatMap(({ skillUses }) => skillUses),
      counts: tally.counts(),
      omitted: tally.omitted(),
    };
  },
};

const stored = ({ parentKey, joinKey, ...piece }: NewFragment): StoredFragment => ({
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
