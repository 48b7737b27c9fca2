import { type ExampleValues, exampleOf, type JsonSchema } from './api-example.js';
import { STATUS_TITLES } from './problem.schema.js';
import { PROBLEM } from './returns.decorator.js';

interface Content {
  schema?: JsonSchema;
  example?: unknown;
}

interface Operation {
  security?: readonly unknown[];
  parameters?: { name: string; in: string; schema?: JsonSchema; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

/** As much of an OpenAPI document as is looked at here. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

/** What any route may answer besides its own: status, code, words, and for which routes. */
const PROBLEMS: readonly {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly where?: (operation: Operation) => boolean;
}[] = [
  {
    ...{ status: 400, code: 'request.invalid' },
    detail: 'The request is not valid; `errors` names the fields.',
    where: ({ parameters = [], requestBody }) => parameters.length > 0 || requestBody !== undefined,
  },
  {
    ...{ status: 401, code: 'access.no_credential' },
    detail: 'Send "Authorization: Bearer <token>", or sign in at /sign-in.',
    where: ({ security }) => security !== undefined,
  },
  {
    ...{ status: 403, code: 'access.scope_missing' },
    detail: 'This credential lacks the scope "decide".',
    where: ({ security }) => security !== undefined,
  },
  {
    ...{ status: 413, code: 'request.too_large' },
    detail: 'The body is longer than this server takes.',
    where: ({ requestBody }) => requestBody !== undefined,
  },
  {
    ...{ status: 415, code: 'request.media_type' },
    detail: 'Send the body as application/json.',
    where: ({ requestBody }) => requestBody !== undefined,
  },
  {
    ...{ status: 429, code: 'request.rate_limited' },
    detail: 'Too many requests; Retry-After says when to come back.',
  },
  { status: 500, code: 'internal', detail: 'Something went wrong here.' },
  {
    ...{ status: 503, code: 'database.unavailable' },
    detail: 'The database does not answer.',
  },
];

/**
 * Completes the document in place: every parameter, body and answer gets an example that its schema allows, every route
 * the refusals that any route can give, and every reference a target.
 */
export function completeApiDocument(document: ApiDocument, samples: ExampleValues): void {
  const schemas = document.components?.schemas ?? {};
  const whole = (schema: JsonSchema): JsonSchema => resolveReferences(schema, schemas);
  for (const operations of Object.values(document.paths))
    for (const operation of Object.values(operations)) {
      addProblemResponses(operation);
      for (const parameter of operation.parameters ?? [])
        parameter.example ??= exampleOf(whole(parameter.schema ?? {}), samples, parameter.name);
      const contents = [operation.requestBody, ...Object.values(operation.responses)];
      for (const content of contents.flatMap((body) => Object.values(body?.content ?? {}))) {
        content.schema = whole(content.schema ?? {});
        content.example ??= exampleOf(content.schema, samples);
      }
    }
}

function addProblemResponses(operation: Operation): void {
  for (const { status, code, detail, where } of PROBLEMS) {
    if (where && !where(operation)) continue;
    const title = STATUS_TITLES[status] ?? 'Error';
    const example = { type: `urn:guildbook:problem:${code}`, title, status, code, detail };
    const content = { 'application/problem+json': { schema: PROBLEM, example } };
    operation.responses[status] ??= { description: `${title}, with a stable code`, content };
  }
}

/** Without references: those of named schemas are followed, and where one points nowhere, any JSON may stand. */
function resolveReferences(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>, depth = 0): JsonSchema {
  if (depth > 30) return {};
  const into = (part: JsonSchema): JsonSchema => resolveReferences(part, schemas, depth + 1);
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.replace('#/components/schemas/', '')];
    return target ? into(target) : {};
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
