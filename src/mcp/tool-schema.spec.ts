import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { toolSchema } from './mcp-tool.js';

const Leaf = z.object({ leaf: z.string().max(99).describe('a leaf') }).meta({ id: 'SpecLeaf' });
const Named = z
  .strictObject({ from: z.int(), to: z.int(), leaf: Leaf.optional() })
  .refine(({ from, to }) => from <= to, 'from is above to')
  .meta({ id: 'SpecNamed' });
const TARGET = { target: 'draft-2020-12' } as const;

describe('the schema of a tool', () => {
  const { input } = toolSchema(Named)['~standard'].jsonSchema;

  it('has what a model needs at the root: names, types and descriptions, without references and bounds', () => {
    expect(input(TARGET)).toEqual({
      type: 'object',
      properties: {
        from: { type: 'integer' },
        to: { type: 'integer' },
        leaf: {
          type: 'object',
          properties: { leaf: { type: 'string', description: 'a leaf' } },
          required: ['leaf'],
        },
      },
      required: ['from', 'to'],
    });
  });

  it('keeps the schema of the values of a record, and a field that is called like a bound', () => {
    const Limits = z.strictObject({ pattern: z.string().max(9), by: z.record(z.string(), z.int()) });
    expect(toolSchema(Limits)['~standard'].jsonSchema.input(TARGET)).toMatchObject({
      properties: { pattern: { type: 'string' }, by: { additionalProperties: { type: 'integer' } } },
    });
  });

  it('lists what is chosen for it, and validates all of it', async () => {
    const { validate, jsonSchema } = toolSchema(Named, z.object({ from: Named.shape.from }))['~standard'];
    expect(jsonSchema.input(TARGET)).toMatchObject({ properties: { from: { type: 'integer' } }, required: ['from'] });
    expect(await validate({ from: 1 })).toMatchObject({ issues: [{ path: ['to'] }] });
    expect(await validate({ from: 1, to: 2, leaf: { leaf: 'x' } })).toHaveProperty('value');
  });

  it('validates as before, refinements included', async () => {
    const { validate } = toolSchema(Named)['~standard'];

    expect(await validate({ from: 1, to: 2 })).toEqual({ value: { from: 1, to: 2 } });
    expect(await validate({ from: 2, to: 1 })).toMatchObject({ issues: [{ message: 'from is above to' }] });
  });
});
