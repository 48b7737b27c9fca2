import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

const BOUNDS = ['maximum', 'maxItems', 'maxLength', 'minimum', 'minItems', 'minLength', 'pattern'] as const;
/** Without the ids of our schemas: with them zod would write references, and some clients read only the root. */
const WITHOUT_IDS = z.registry<Record<string, never>>();

/**
 * The schema of a tool's input. Each session of each agent loads what is listed of it: names, types, choices and
 * descriptions. Bounds are left to the validation, whose errors name the field, and so is what `listed` leaves out.
 */
export function toolSchema<S extends z.ZodType>(
  schema: S,
  listed: z.ZodType = schema,
): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const { '~standard': standard } = schema;
  return { '~standard': { ...standard, jsonSchema: { ...standard.jsonSchema, input: () => listOf(listed) } } };
}

function listOf(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    metadata: WITHOUT_IDS,
    override: ({ zodSchema, jsonSchema }) => {
      for (const bound of BOUNDS) delete jsonSchema[bound];
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  return rest;
}
