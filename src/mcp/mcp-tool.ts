import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DomainError } from '../platform/base/domain.errors.js';
import { isOutage } from '../platform/database/outage.js';
import { inlineSchema } from '../platform/http/returns.decorator.js';
import { readArguments } from './given-arguments.js';

/** Tool annotations: no tool reaches beyond this server or deletes anything. What the protocol assumes is left out. */
export const WRITE_HINTS = { destructiveHint: false, openWorldHint: false };
export const READ_HINTS = { readOnlyHint: true, openWorldHint: false };

interface McpToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/**
 * Runs a verb and returns its answer as text for a model and as structured content. Consumers show a model either of the
 * two (Claude Code: the structured content alone), so both hold text from outside only in its fence. A DomainError becomes an error result
 * with its code and message; other errors are rethrown, so that their details never reach the caller.
 */
export async function toolResult<T extends object>(
  verb: () => Promise<T>,
  say: (answer: T) => string,
): Promise<McpToolResult> {
  try {
    const answer = await verb();
    return {
      content: [{ type: 'text', text: say(answer) }],
      structuredContent: Object.fromEntries(Object.entries(answer)),
    };
  } catch (error) {
    if (isOutage(error))
      return { isError: true, content: [{ type: 'text', text: 'database.unavailable: Try again in a few seconds.' }] };
    if (!(error instanceof DomainError)) throw error;
    return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] };
  }
}

export const textOf = (answer: object): string => JSON.stringify(answer);

const BOUNDS = ['maximum', 'maxItems', 'maxLength', 'minimum', 'minItems', 'minLength', 'pattern'] as const;
/** Defaults that say no more than that the argument may be left out. */
const EMPTY_DEFAULTS = new Set(['false', '[]', '""']);

/**
 * The schema of a tool's input. Each session of each agent loads what is listed of it: names, types, choices and
 * descriptions. Bounds are left to the validation, whose errors name the field, and so is what `listed` leaves out. The
 * validation also reads what clients send in another form.
 */
export function toolSchema<S extends z.ZodType>(
  schema: S,
  listed: z.ZodType = schema,
): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const { '~standard': standard } = schema;
  const jsonSchema = { ...standard.jsonSchema, input: () => listOf(listed) };
  return { '~standard': { ...standard, jsonSchema, validate: (given) => readArguments(schema, given) } };
}

const listOf = (schema: z.ZodType) =>
  inlineSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      for (const bound of BOUNDS) delete jsonSchema[bound];
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (EMPTY_DEFAULTS.has(JSON.stringify(jsonSchema.default))) delete jsonSchema.default;
      if (jsonSchema.format === 'uuid') delete jsonSchema.format;
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description = description;
    },
  });
