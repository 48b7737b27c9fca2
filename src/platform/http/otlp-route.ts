import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodeAnswer, type OtlpAnswer } from '../otlp/otlp-answer.js';

export const PROTOBUF_TYPES = ['application/x-protobuf', 'application/protobuf'];
export const PROTOBUF = 'application/x-protobuf';

/** What a route of OTLP/HTTP takes. It sets it as `otlp`. */
const SIGNALS = ['traces', 'logs', 'metrics'] as const;

const bodies = new WeakMap<FastifyRequest, Uint8Array>();

/** The signal of a route of OTLP/HTTP; undefined for every other route, which takes no protobuf and answers problems. */
export function otlpSignalOf({ routeOptions }: FastifyRequest): (typeof SIGNALS)[number] | undefined {
  // A request that no route matched has no options.
  const config: object = routeOptions?.config ?? {};
  return SIGNALS.find((signal) => 'otlp' in config && config.otlp === signal);
}

/** OTLP/HTTP answers in the encoding of the request. */
export function encodingOf({ headers }: FastifyRequest): 'json' | 'protobuf' {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return PROTOBUF_TYPES.includes(type) ? 'protobuf' : 'json';
}

/** Keeps a body in protobuf beside the request. Its route sees the empty message as JSON, which it may always be. */
export function keepProtobuf(request: FastifyRequest, bytes: Uint8Array): object {
  bodies.set(request, bytes);
  return {};
}

/** The body of a request in protobuf; undefined for one in JSON. */
export const protobufOf = (request: FastifyRequest): Uint8Array | undefined => bodies.get(request);

/** Has the answer of a route of OTLP/HTTP encoded as its request was. */
export function encodeAsRequest(request: FastifyRequest, reply: FastifyReply): void {
  const signal = otlpSignalOf(request);
  if (signal === undefined || encodingOf(request) === 'json') return;
  // The route's method returns this form. Fastify sends bytes too, but its type names only texts.
  reply.type(PROTOBUF).serializer((answer) => encodeAnswer(signal, answer as OtlpAnswer) as unknown as string);
}
