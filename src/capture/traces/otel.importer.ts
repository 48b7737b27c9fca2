import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import {
  type FragmentFormat,
  type FragmentIdentifiers,
  type FragmentSignal,
  LOCAL_IDENTIFIERS,
  type NewFragment,
  type StoredFragment,
} from '../importers/fragment-format.js';
import { ImportTally, parseJson, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, TranscriptImporter } from '../importers/importer.js';
import { type ExportTraceRequest, OtlpSpan, ExportTraceRequest as Request } from './otlp.schema.js';
import { type Attributes, attributesOf } from './otlp-attributes.js';
import { environmentOf } from './trace-environment.js';
import { assembleTraceExecutions } from './trace-execution.js';
import { type SpanFragment, spanFragment } from './trace-span.js';

export const otelFormat: FragmentFormat = { format: 'otel', assemble: assembleTraceExecutions };

/** The fragments of one trace from one resource. */
export interface TraceFragments {
  readonly trace: string;
  readonly resource: Attributes;
  readonly fragments: readonly NewFragment[];
}

/** The redacted fragments of an export by resource and trace, and the number of its spans that cannot be read. */
export function readExport(
  request: ExportTraceRequest,
  identifiers: FragmentIdentifiers,
): { traces: TraceFragments[]; unreadable: number } {
  let unreadable = 0;
  const traces = (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
    const attributes = attributesOf(resource?.attributes);
    const environment = environmentOf(attributes);
    const byTrace = new Map<string, NewFragment[]>();
    for (const raw of (scopeSpans ?? []).flatMap(({ spans }) => spans ?? [])) {
      const span = OtlpSpan.safeParse(raw);
      if (!span.success) {
        unreadable += 1;
        continue;
      }
      const fragment = spanFragment(span.data, identifiers, environment);
      const known = byTrace.get(fragment.trace);
      if (known === undefined) byTrace.set(fragment.trace, [toNewFragment(fragment)]);
      else known.push(toNewFragment(fragment));
    }
    return [...byTrace].map(([trace, fragments]) => ({ trace, resource: attributes, fragments }));
  });
  return { traces, unreadable };
}

function toNewFragment({ key, parentKey, joinKey, facts }: SpanFragment): NewFragment {
  // Not the conversation: two conversations with the same marker would be one.
  const { conversation, ...texts } = facts;
  const { value, redactions: findings } = redactDeep(texts);
  const stored = conversation === undefined ? value : { ...value, conversation };
  return { key, parentKey, joinKey, signal: signalOf(facts.kind, parentKey), facts: stored, findings };
}

/**
 * A span is sent after its end: the end of the root ends the trace, and the end of an agent's span may end its
 * execution.
 */
function signalOf(kind: SpanFragment['facts']['kind'], parentKey: string | undefined): FragmentSignal {
  if (parentKey === undefined) return 'ended';
  return kind === 'agent' ? 'paused' : 'none';
}

/** Imports files of OTLP/JSON: one export, or one export per line as a collector's file exporter writes them. */
export const otelImporter: TranscriptImporter = {
  format: 'otel',
  recognises: (record) => 'resourceSpans' in record,
  derive(lines: Iterable<string>): DerivedExecutions {
    const tally = new ImportTally();
    const traces = new Map<string, Map<string, StoredFragment>>();
    for (const request of requestsIn([...lines], tally)) {
      const { traces: read, unreadable } = readExport(request, LOCAL_IDENTIFIERS);
      tally.omit('span that cannot be read', unreadable);
      for (const { trace, fragments } of read) {
        const known = traces.get(trace) ?? new Map<string, StoredFragment>();
        traces.set(trace, known);
        for (const fragment of fragments) if (!known.has(fragment.key)) known.set(fragment.key, toStored(fragment));
      }
    }
    const executions = [...traces].flatMap(([trace, fragments]) =>
      assembleTraceExecutions(trace, [...fragments.values()], 'expired', tally),
    );
    return {
      reports: executions.map(({ report }) => report),
      skillUses: executions.flatMap(({ skillUses }) => skillUses),
      counts: tally.counts(),
      omitted: tally.omitted(),
    };
  },
};

const toStored = ({ parentKey, joinKey, ...fragment }: NewFragment): StoredFragment => ({
  ...fragment,
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
