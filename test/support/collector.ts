import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromBinary } from '@bufbuild/protobuf';
import { ExportTraceServiceRequestSchema } from '../../src/platform/otlp/generated/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';
import type { Span } from '../../src/platform/otlp/generated/opentelemetry/proto/trace/v1/trace_pb.js';

export interface Received {
  readonly path: string;
  readonly type: string | undefined;
  readonly body: Buffer;
}

export interface Collector {
  readonly url: string;
  readonly received: readonly Received[];
  spans(): Span[];
  close(): Promise<void>;
}

export const hex = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString('hex');

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Starts a collector of OpenTelemetry that keeps what it was sent. */
export async function startCollector(): Promise<Collector> {
  const received: Received[] = [];
  const server = createServer(async (request, reply) => {
    const body = await bodyOf(request);
    received.push({ path: request.url ?? '', type: request.headers['content-type'], body });
    reply.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    spans: () =>
      received
        .filter(({ path }) => path === '/v1/traces')
        .flatMap(({ body }) => fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
