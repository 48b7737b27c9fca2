import { decodeRequest } from '../../platform/otlp/otlp-request.js';
import type { FragmentIdentifiers } from '../importers/fragment-format.js';
import { ExportLogsRequest, ExportTraceRequest } from './otlp.schema.js';
import { type ReadExport, readLogs, readTraces } from './telemetry-export.js';

/** An export as it was received: in JSON, which is parsed and checked, or as the bytes of a protobuf message. */
export type ReceivedExport =
  | { readonly signal: 'traces'; readonly request: ExportTraceRequest; readonly protobuf?: Uint8Array | undefined }
  | { readonly signal: 'logs'; readonly request: ExportLogsRequest; readonly protobuf?: Uint8Array | undefined };

/** Why nothing of a request can be read. */
interface ExportProblem {
  readonly code: string;
  readonly detail: string;
}

/** Levels of messages: six before the first attribute value, and three for each level of a value, as many as in JSON. */
const DEPTH = 24;
/** Four for each attribute, of which 60,000 fill a body; as in JSON, one byte each could be millions. */
const FIELDS = 250_000;

/** The one thing that a schema can refuse in a decoded message. */
const TOO_MANY_RESOURCES: ExportProblem = { code: 'request.invalid', detail: 'has more than 10000 resources' };

/** The redacted fragments of an export, or why it is refused. */
export function readReceived(
  received: ReceivedExport,
  identifiers: FragmentIdentifiers,
): ReadExport | { readonly problem: ExportProblem } {
  if (received.protobuf === undefined)
    return received.signal === 'traces'
      ? readTraces(received.request, identifiers)
      : readLogs(received.request, identifiers);
  const decoded = decodeRequest(received.signal, received.protobuf, { depth: DEPTH, fields: FIELDS });
  if ('problem' in decoded) return decoded;
  if (received.signal === 'traces') {
    const request = ExportTraceRequest.safeParse(decoded.request);
    return request.success ? readTraces(request.data, identifiers) : { problem: TOO_MANY_RESOURCES };
  }
  const request = ExportLogsRequest.safeParse(decoded.request);
  return request.success ? readLogs(request.data, identifiers) : { problem: TOO_MANY_RESOURCES };
}
