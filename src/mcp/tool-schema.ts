import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { inlineSchema } from '../platform/http/returns.decorator.js';

const BOUNDS = ['maximum', 'maxItems', 'maxLength', 'minimum', 'minItems', 'minLength', 'pattern'] as const;

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

const listOf = (schema: z.ZodType) =>
  inlineSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      for (const bound of BOUNDS) delete jsonSchema[bound];
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description = description;
    },
  });
