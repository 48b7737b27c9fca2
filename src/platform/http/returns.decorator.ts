import { applyDecorators, Controller, HttpCode } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiResponse, ApiTags, type SwaggerDocumentOptions } from '@nestjs/swagger';
import { z } from 'zod';
import { STATUS_TITLES } from './problem.schema.js';

type Conversion = ReturnType<NonNullable<SwaggerDocumentOptions['standardSchemaConverter']>>;

/** Statuses that a route refuses a request with. Those that any route can give are added by `completeApiDocument`. */
type Refusal = 401 | 403 | 404 | 409 | 412 | 429 | 501 | 503;

const PROBLEM_JSON = 'application/problem+json';
/** Answers have the form of input too, so that a name has one definition in bodies and answers. */
const OPENAPI: z.core.ToJSONSchemaParams = {
  target: 'openapi-3.0',
  io: 'input',
  override: ({ jsonSchema }) => {
    // A format says as much as its pattern, and "integer" as much as the bounds of a safe integer.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
};
const PROBLEM_REFERENCE = { $ref: '#/components/schemas/Problem' };

/** Without the ids of our schemas: with them zod would write references, which some readers do not follow. */
const WITHOUT_IDS = z.registry<Record<string, never>>();

/** Returns a zod schema as JSON Schema, complete and without references. */
export function inlineSchema(schema: z.ZodType, options: z.core.ToJSONSchemaParams): Record<string, unknown> {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { ...options, metadata: WITHOUT_IDS });
  return rest;
}

/** The same as OpenAPI 3.0. */
export const openApiSchema = (schema: z.ZodType) => inlineSchema(schema, OPENAPI);

/** Converts a zod schema for Nest, with the schemas that have an id as components. Undefined for anything else. */
export function convertSchema(schema: unknown): Conversion {
  if (!(schema instanceof z.ZodType)) return undefined;
  const { $schema: _schema, definitions, ...rest } = z.toJSONSchema(schema, OPENAPI);
  return { schema: rest, ...(definitions ? { components: definitions } : {}) };
}

/** Routes of the API below a path, which need a credential, under a tag of the document. */
export const ApiController = (tag: string, path: string) =>
  applyDecorators(ApiTags(tag), ApiBearerAuth(), Controller(path));

/** Sets and documents the status of a route's answer, with its schema and its headers (by name, with a description). */
export const Returns = (
  status: 200 | 201 | 202 | 204,
  schema?: z.ZodType,
  headers: Readonly<Record<string, string>> = {},
) =>
  applyDecorators(
    HttpCode(status),
    ApiResponse({
      status,
      description: status === 204 ? 'Done' : 'OK',
      ...(schema ? { standardSchema: schema } : {}),
      ...(Object.keys(headers).length > 0 ? { headers: headerObjects(headers) } : {}),
    }),
  );

const headerObjects = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

/** Documents another answer of the route. A media type other than JSON has an inline schema. */
export const AlsoReturns = (status: number, description: string, schema?: z.ZodType, type = 'application/json') =>
  ApiResponse({
    status,
    description,
    ...(schema && type === 'application/json' ? { standardSchema: schema } : {}),
    ...(schema && type !== 'application/json' ? { content: { [type]: { schema: openApiSchema(schema) } } } : {}),
  });

/** Documents that the route refuses a request with one of these codes. */
export const Refuses = (status: Refusal, ...codes: readonly string[]) =>
  ApiResponse({ status, ...problemResponse(status, codes) });

/** The route compares the header If-Match with the current state, and refuses another one with `code`. */
export const TakesIfMatch = (code: string) =>
  applyDecorators(
    ApiHeader({ name: 'if-match', required: false, description: 'The ETag of what you read; another one is a 412' }),
    Refuses(412, code),
  );

/** The response object of a refusal. With `codes`, its schema allows only these; else `example` gives one. */
export function problemResponse(
  status: number,
  codes: readonly string[],
  { code, detail }: { code: string; detail: string } = {
    code: codes[0] ?? 'request.refused',
    detail: `${STATUS_TITLES[status]}.`,
  },
) {
  const title = STATUS_TITLES[status] ?? 'Error';
  const allowed = { type: 'object', properties: { code: { type: 'string', enum: [...codes] } }, required: ['code'] };
  const schema = codes.length === 0 ? PROBLEM_REFERENCE : { allOf: [PROBLEM_REFERENCE, allowed] };
  const example = { type: `urn:guildbook:problem:${code}`, title, status, code, detail };
  return { description: title, content: { [PROBLEM_JSON]: { schema, example } } };
}
