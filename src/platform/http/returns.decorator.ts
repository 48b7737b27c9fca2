import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { Problem } from './problem.schema.js';

/** Leaves out the schema ids: with them zod creates references that have no target in the finished document. */
const WITHOUT_IDS = z.registry<Record<string, never>>();

/** Returns a zod schema in OpenAPI 3.0 form, complete and without references. */
export function openApiSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    metadata: WITHOUT_IDS,
  });
  return rest;
}

/** Computed once, because every route uses it and one conversion takes a millisecond. */
export const PROBLEM = openApiSchema(Problem);

/** Documents the response of a route and that every error is problem+json. Also sets the status. */
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

/** Documents another response of the route. */
export const AlsoReturns = (status: number, description: string, schema: z.ZodType, type = 'application/json') =>
  ApiResponse({ status, description, content: { [type]: { schema: openApiSchema(schema) } } });
