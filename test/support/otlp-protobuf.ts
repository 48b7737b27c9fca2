import { gzipSync } from 'node:zlib';
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { ExportLogsServiceRequestSchema } from '../../src/platform/otlp/generated/opentelemetry/proto/collector/logs/v1/logs_service_pb.js';
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from '../../src/platform/otlp/generated/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';
import { StatusSchema } from '../../src/platform/otlp/generated/rpc-status_pb.js';

export type Signal = 'traces' | 'logs' | 'metrics';

/** A request in OTLP/JSON as the bytes of the same request in protobuf. */
export function toProtobuf(signal: 'traces' | 'logs', request: unknown): Uint8Array<ArrayBuffer> {
  const json = withBase64Ids(JSON.parse(JSON.stringify(request)));
  const bytes =
    signal === 'traces'
      ? toBinary(ExportTraceServiceRequestSchema, fromJson(ExportTraceServiceRequestSchema, json))
      : toBinary(ExportLogsServiceRequestSchema, fromJson(ExportLogsServiceRequestSchema, json));
  return new Uint8Array(bytes);
}

/** OTLP/JSON has ids in hexadecimal where the JSON of protobuf has base64. */
function withBase64Ids(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withBase64Ids);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      /^(?:traceId|spanId|parentSpanId)$/.test(name) && typeof field === 'string'
        ? Buffer.from(field, 'hex').toString('base64')
        : withBase64Ids(field),
    ]),
  );
}

export interface OtlpAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly retryAfter: string | null;
  readonly bytes: Buffer;
}

/** Posts a body as an exporter does. */
export async function postOtlp(
  url: string,
  signal: Signal,
  token: string,
  body: Uint8Array<ArrayBuffer> | string,
  options: { type?: string; gzip?: boolean; headers?: Readonly<Record<string, string>> } = {},
): Promise<OtlpAnswer> {
  const { gzip = false, headers = {} } = options;
  const type = options.type ?? (typeof body === 'string' ? 'application/json' : 'application/x-protobuf');
  const response = await fetch(`${url}/v1/${signal}`, {
    method: 'POST',
    headers: {
      'content-type': type,
      authorization: `Bearer ${token}`,
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...headers,
    },
    body: gzip ? new Uint8Array(gzipSync(body)) : body,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    retryAfter: response.headers.get('retry-after'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

export const statusIn = ({ bytes }: OtlpAnswer) => toJson(StatusSchema, fromBinary(StatusSchema, bytes));

export const traceResponseIn = ({ bytes }: OtlpAnswer) =>
  toJson(ExportTraceServiceResponseSchema, fromBinary(ExportTraceServiceResponseSchema, bytes));
