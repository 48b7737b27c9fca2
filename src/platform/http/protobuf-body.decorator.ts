import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { protobufOf } from './otlp-route.js';

/** The bytes of a body in protobuf; undefined for a body in JSON. For routes that set `otlp`. */
export const ProtobufBody = createParamDecorator((_: undefined, context: ExecutionContext): Uint8Array | undefined =>
  protobufOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
