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
