import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

type JsonSchema = Record<string, unknown>;

const DEFINITION = /^#\/\$defs\/([^/]+)$/;

/**
 * The schema of a tool's input or output, which validates as before. A schema with a name becomes a reference at the root
 * of its JSON Schema, and models and clients that read only `properties` there would see a tool without arguments.
 */
export function toolSchema<S extends z.ZodType>(schema: S): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const standard = schema['~standard'];
  const { input, output } = standard.jsonSchema;
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options) => withoutRootReference(input(options)),
        output: (options) => withoutRootReference(output(options)),
      },
    },
  };
}

/** Puts the definition that the root refers to in place of the reference. Definitions that others refer to stay. */
export function withoutRootReference(schema: JsonSchema): JsonSchema {
  const { $ref: reference, $defs, ...rest } = schema;
  const definitions = isRecord($defs) ? $defs : {};
  const name = typeof reference === 'string' ? DEFINITION.exec(reference)?.[1] : undefined;
  const root = name === undefined ? undefined : definitions[name];
  if (name === undefined || !isRecord(root)) return schema;
  const { id: _name, ...inlined } = root;
  const { [name]: _inlined, ...others } = definitions;
  const kept = JSON.stringify([inlined, others]).includes(`"#/$defs/${name}"`) ? definitions : others;
  return { ...rest, ...inlined, ...(Object.keys(kept).length > 0 ? { $defs: kept } : {}) };
}

const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
