import {
  type FragmentFormat,
  LOCAL_IDENTIFIERS,
  type NewFragment,
  type StoredFragment,
} from '../importers/fragment-format.js';
import { ImportTally, parseJson, recordsIn } from '../importers/import-tally.js';
import { streamingImporter } from '../importers/importer.js';
import { ExportLogsRequest, ExportTraceRequest } from './otlp.schema.js';
import { readLogs, readTraces } from './telemetry-export.js';
import { TELEMETRY_PRODUCTS, TRACE_FORMAT, telemetryFormatOf } from './telemetry-product.js';
import { assembleSessionExecution, assembleTraceExecutions } from './trace-execution.js';

/** The formats in which telemetry is stored and assembled: traces, and the sessions of each product. */
export const TELEMETRY_FORMATS: readonly FragmentFormat[] = [
  { format: TRACE_FORMAT, assemble: (key, fragments, stage) => assembleTraceExecutions(key, fragments, stage) },
  ...TELEMETRY_PRODUCTS.map((product) => ({
    format: telemetryFormatOf(product),
    assemble: (_key: string, fragments: readonly StoredFragment[]) => assembleSessionExecution(product, fragments),
  })),
];

/** Imports files of OTLP/JSON: one export, or one export per line as a collector's file exporter writes them. */
export const otelImporter = streamingImporter({
  format: TRACE_FORMAT,
  recognises: (record) => 'resourceSpans' in record || 'resourceLogs' in record,
  *stream(lines: Iterable<string>) {
    const tally = new ImportTally();
    const places = new Map<string, Place>();
    for (const request of requestsIn([...lines], tally)) {
      for (const { placed, unreadable } of [
        readTraces(request, LOCAL_IDENTIFIERS),
        readLogs(request, LOCAL_IDENTIFIERS),
      ]) {
        tally.omit('span or log record that cannot be read', unreadable);
        for (const { format, key, fragments } of placed) {
          const known = places.get(`${format} ${key}`) ?? { format, key, fragments: new Map() };
          places.set(`${format} ${key}`, known);
          for (const one of fragments) if (!known.fragments.has(one.key)) known.fragments.set(one.key, toStored(one));
        }
      }
    }
    for (const place of places.values()) yield* assembled(place, tally);
    return tally.read();
  },
});

interface Place {
  readonly format: string;
  readonly key: string;
  readonly fragments: Map<string, StoredFragment>;
}

function assembled({ format, key, fragments }: Place, tally: ImportTally) {
  const product = TELEMETRY_PRODUCTS.find((one) => telemetryFormatOf(one) === format);
  return product === undefined
    ? assembleTraceExecutions(key, [...fragments.values()], 'expired', tally)
    : assembleSessionExecution(product, [...fragments.values()], tally);
}

const toStored = ({ parentKey, joinKey, ...fragment }: NewFragment): StoredFragment => ({
  ...fragment,
  parentKey: parentKey ?? null,
  joinKey: joinKey ?? null,
});

const Request = ExportTraceRequest.and(ExportLogsRequest);
type Requests = ExportTraceRequest & ExportLogsRequest;

function requestsIn(lines: readonly string[], tally: ImportTally): Requests[] {
  const whole = lines.length > 1 ? Request.safeParse(parseJson(lines.join('\n'))) : undefined;
  if (whole?.success === true) {
    tally.lines += lines.length;
    return [whole.data];
  }
  return [...recordsIn(lines, tally)].flatMap((value) => {
    const request = Request.safeParse(value);
    if (!request.success) tally.badLines += 1;
    return request.success ? [request.data] : [];
  });
}
