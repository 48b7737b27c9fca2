import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { Problem } from './problem.schema.js';

/** Without the ids of our schemas: with them zod makes references that point nowhere in the finished document. */
const WITHOUT_IDS = z.registry<Record<string, never>>();

/** A zod schema as OpenAPI 3.0 knows it, whole and without references. */
export function openApiSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    metadata: WITHOUT_IDS,
  });
  return rest;
}

/** Of each route, so it is made once: a conversion takes a millisecond, and there are many routes. */
export const PROBLEM = openApiSchema(Problem);

/** Documents the answer of a route, and that every error is problem+json. Sets the status, too. */
export const Returns = (status: 200 | 201 | 202 | 204, schema?: z.ZodType) =>
  applyDecorators(
    HttpCode(status),
    ApiResponse({
      status,
      description: status === 204 ? 'Done' : 'OK',
      ...(schema ? { content: { 'application/json': { schema: openApiSchema(schema) } } } : {}),
    }),
    ApiResponse({
      status: '4XX',
      description: 'The reason, with a stable code',
      content: { 'application/problem+json': { schema: PROBLEM } },
    }),
  );

/** Documents another answer that the route gives. */
export const AlsoReturns = (status: number, description: string, schema: z.ZodType, type = 'application/json') =>
  ApiResponse({ status, description, content: { [type]: { schema: openApiSchema(schema) } } });
