import { create, createRegistry, fromJson, toBinary, toJsonString } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import type { FieldError } from '../base/domain.errors.js';
import { ExportLogsServiceResponseSchema } from './generated/opentelemetry/proto/collector/logs/v1/logs_service_pb.js';
import { ExportTraceServiceResponseSchema } from './generated/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';
import { BadRequestSchema, StatusSchema } from './generated/rpc-status_pb.js';

/** The answer of a route of OTLP/HTTP, in the form of OTLP/JSON. 64-bit numbers are decimal strings. */
export type OtlpAnswer = {
  readonly partialSuccess?: { readonly errorMessage: string; readonly [rejected: string]: string };
};

const RESPONSES = { traces: ExportTraceServiceResponseSchema, logs: ExportLogsServiceResponseSchema } as const;

/** The answer in protobuf. That of `metrics`, which are never refused in part, is the message without a field. */
export function encodeAnswer(signal: 'traces' | 'logs' | 'metrics', answer: OtlpAnswer): Buffer {
  if (signal === 'metrics') return Buffer.alloc(0);
  return signal === 'traces'
    ? Buffer.from(toBinary(RESPONSES.traces, fromJson(RESPONSES.traces, { ...answer })))
    : Buffer.from(toBinary(RESPONSES.logs, fromJson(RESPONSES.logs, { ...answer })));
}

/** Codes of google.rpc by HTTP status. OTLP gives them no meaning; clients log them. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  409: 9, // FAILED_PRECONDITION
  413: 3,
  415: 3,
  429: 8, // RESOURCE_EXHAUSTED
  500: 13, // INTERNAL
  503: 14, // UNAVAILABLE
};
const UNKNOWN = 2;

export const rpcCodeOf = (status: number): number => RPC_CODES[status] ?? UNKNOWN;

const TYPES = createRegistry(BadRequestSchema);

/**
 * An error as OTLP/HTTP asks for it: a message google.rpc.Status in the encoding of the request, with the invalid fields
 * as google.rpc.BadRequest.
 */
export function encodeStatus(
  error: {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly errors?: readonly FieldError[];
  },
  encoding: 'json' | 'protobuf',
): string | Buffer {
  const fieldViolations = (error.errors ?? []).map(({ field, message }) => ({ field, description: message }));
  const status = create(StatusSchema, {
    code: rpcCodeOf(error.status),
    message: `${error.detail} (${error.code})`,
    details:
      fieldViolations.length === 0 ? [] : [anyPack(BadRequestSchema, create(BadRequestSchema, { fieldViolations }))],
  });
  return encoding === 'json'
    ? toJsonString(StatusSchema, status, { registry: TYPES })
    : Buffer.from(toBinary(StatusSchema, status));
}
