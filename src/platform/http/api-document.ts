import { rpcCodeOf } from '../otlp/otlp-answer.js';
import { PROTOBUF } from './otlp-route.js';
import { Problem, RpcStatus } from './problem.schema.js';
import { openApiSchema, problemResponse } from './returns.decorator.js';

interface Content {
  schema?: JsonSchema;
  example?: unknown;
}

interface Operation {
  'x-otlp'?: boolean;
  security?: readonly unknown[];
  parameters?: { name: string; in: string; schema?: JsonSchema; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

/** The part of an OpenAPI document that is read here. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

const STATUS_REFERENCE = { $ref: '#/components/schemas/RpcStatus' };

/** Refusals that routes give before or around their own work: status, code, text, and the routes they apply to. */
const COMMON_REFUSALS: readonly {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly appliesTo: (operation: Operation, method: string) => boolean;
}[] = [
  {
    status: 400,
    code: 'request.invalid',
    detail: 'The request is not valid; `errors` names the fields.',
    appliesTo: (operation) =>
      isSecured(operation) || (operation.parameters ?? []).length > 0 || 'requestBody' in operation,
  },
  {
    status: 401,
    code: 'access.no_credential',
    detail: 'Send "Authorization: Bearer <token>", or sign in at /sign-in.',
    appliesTo: isSecured,
  },
  {
    status: 403,
    code: 'access.scope_missing',
    detail: 'This credential lacks the scope "decide".',
    appliesTo: isSecured,
  },
  {
    status: 421,
    code: 'request.wrong_host',
    detail: 'This server does not answer to this host name.',
    appliesTo: () => true,
  },
  {
    status: 403,
    code: 'access.cross_origin',
    detail: 'This request comes from a page of another site.',
    // Secured routes have the other reasons for a 403.
    appliesTo: (operation) => !isSecured(operation),
  },
  {
    status: 413,
    code: 'request.too_large',
    detail: 'The request body is above the size limit.',
    appliesTo: readsBody,
  },
  {
    status: 415,
    code: 'request.media_type',
    detail: 'Send the body as application/json.',
    appliesTo: readsBody,
  },
  {
    status: 429,
    code: 'request.rate_limited',
    detail: 'Too many requests. Try again after the seconds in Retry-After.',
    appliesTo: isSecured,
  },
  {
    status: 500,
    code: 'internal',
    detail: 'Internal error. The server log has the details.',
    appliesTo: () => true,
  },
  {
    status: 503,
    code: 'journal.unavailable',
    detail: 'The journal cannot be written, so nothing was done. Try again.',
    // A change writes the journal in its own transaction.
    appliesTo: readsBody,
  },
  {
    status: 503,
    code: 'database.unavailable',
    detail: 'The database is not available. Try again after the seconds in Retry-After.',
    appliesTo: () => true,
  },
];

function isSecured({ security }: Operation): boolean {
  return security !== undefined;
}

/** The web server reads a body with every method except GET, documented or not. */
function readsBody(_operation: Operation, method: string): boolean {
  return method !== 'get';
}

/**
 * Completes the document in place: adds the schema of problems, the common refusals of every route, and an example that
 * the schema allows to every parameter, body and answer.
 */
export function completeApiDocument(document: ApiDocument, samples: ExampleValues): void {
  const schemas = {
    ...document.components?.schemas,
    Problem: openApiSchema(Problem),
    RpcStatus: openApiSchema(RpcStatus),
  };
  document.components = { ...document.components, schemas };
  for (const operations of Object.values(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      addProblemResponses(operation, method);
      if (operation['x-otlp'] === true) describeOtlp(operation);
      for (const parameter of operation.parameters ?? [])
        parameter.example ??= exampleOf(resolveReferences(parameter.schema ?? {}, schemas), samples, parameter.name);
      const contents = [operation.requestBody, ...Object.values(operation.responses)];
      for (const content of contents.flatMap((body) => Object.values(body?.content ?? {})))
        content.example ??= exampleOf(resolveReferences(content.schema ?? {}, schemas), samples);
    }
}

function addProblemResponses(operation: Operation, method: string): void {
  for (const { status, code, detail, appliesTo } of COMMON_REFUSALS) {
    if (!appliesTo(operation, method)) continue;
    const problem = problemResponse(status, [], { code, detail });
    const own = operation.responses[status];
    operation.responses[status] = own ? { ...own, content: { ...problem.content, ...own.content } } : problem;
  }
}

const BINARY = { schema: { type: 'string', format: 'binary' }, example: '' } as const;

/** A route of OTLP/HTTP also takes and answers protobuf, and refuses with google.rpc.Status. */
function describeOtlp(operation: Operation): void {
  const protobuf = { [PROTOBUF]: BINARY };
  Object.assign(operation.requestBody?.content ?? {}, protobuf);
  for (const [status, response] of Object.entries(operation.responses)) {
    const [problem] = Object.values(response.content ?? {});
    const refusal = {
      'application/json': { schema: STATUS_REFERENCE, example: statusExample(status, problem?.example) },
    };
    response.content = { ...(Number(status) < 400 ? response.content : refusal), ...protobuf };
  }
}

function statusExample(status: string, problem: unknown): object {
  const { detail, code } = { detail: '', code: '', ...Object(problem) };
  return { code: rpcCodeOf(Number(status)), message: `${detail} (${code})` };
}

/** Returns the schema with the named schemas in place of their references. Throws for a reference without a target. */
function resolveReferences(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>, depth = 0): JsonSchema {
  if (depth > 30) return {};
  const into = (part: JsonSchema): JsonSchema => resolveReferences(part, schemas, depth + 1);
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (target === undefined) throw new Error(`the API document has no schema for ${schema.$ref}`);
    return into(target);
  }
  const { properties, items, anyOf, oneOf, allOf } = schema;
  return {
    ...schema,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, into(part)])) }
      : {}),
    ...(items ? { items: into(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(into) } : {}),
    ...(oneOf ? { oneOf: oneOf.map(into) } : {}),
    ...(allOf ? { allOf: allOf.map(into) } : {}),
  };
}

/** The part of JSON Schema that the API document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly minimum?: number;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** Example values by field name. */
export type ExampleValues = ReadonlyMap<string, unknown>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** No schema of the API is deeper. */
const MAX_DEPTH = 20;

/**
 * Returns an example value of the schema, the same every time. Example values by name come first, then values that the
 * schema itself names.
 */
export function exampleOf(schema: JsonSchema, samples: ExampleValues, name = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (samples.has(name) && matchesSchema(samples.get(name), schema)) return samples.get(name);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (choice) return exampleOf(choice, samples, name, depth + 1);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, samples, name, depth + 1)));
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, part]) => [key, exampleOf(part, samples, key, depth + 1)]),
      );
    case 'array':
      return schema.items ? [exampleOf(schema.items, samples, name, depth + 1)] : [];
    case 'string':
      return formatExample(schema.format);
    case 'integer':
    case 'number':
      return schema.default ?? Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return schema.default ?? true;
    default:
      return {};
  }
}

/** Fields of different types can share a name. */
function matchesSchema(value: unknown, schema: JsonSchema): boolean {
  const { type, format, pattern, items, enum: allowed, anyOf, oneOf, nullable, const: only } = schema;
  if (value === null) return nullable === true || type === undefined;
  if (only !== undefined) return only === value;
  if (allowed) return allowed.includes(value);
  const choices = anyOf ?? oneOf;
  if (choices) return choices.some((choice) => matchesSchema(value, choice));
  if (type === undefined) return true;
  if (Array.isArray(value))
    return type === 'array' && value.every((one) => items === undefined || matchesSchema(one, items));
  if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value));
  if (pattern !== undefined && !new RegExp(pattern).test(String(value))) return false;
  return typeof value === type && (format !== 'uuid' || UUID.test(String(value)));
}

function formatExample(format: string | undefined): string {
  if (format === 'uuid') return '0a3c5e7f-1b2d-4c6e-8f90-a1b2c3d4e5f6';
  if (format === 'date-time') return '2026-11-21T10:00:00.000Z';
  if (format === 'email') return 'rita@example.org';
  return 'text';
}
