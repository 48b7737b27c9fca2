import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { toolSchema, withoutRootReference } from './tool-schema.js';

const Leaf = z.object({ leaf: z.string().describe('a leaf') }).meta({ id: 'SpecLeaf' });
const Named = z
  .strictObject({ from: z.int(), to: z.int(), leaf: Leaf.optional() })
  .refine(({ from, to }) => from <= to, 'from is above to')
  .meta({ id: 'SpecNamed' });
const TARGET = { target: 'draft-2020-12' } as const;

describe('the schema of a tool', () => {
  it('has its properties at the root, and keeps the definitions that it refers to', () => {
    expect(Named['~standard'].jsonSchema.input(TARGET)).toHaveProperty('$ref');

    const schema = toolSchema(Named)['~standard'].jsonSchema.input(TARGET);

    expect(schema).not.toHaveProperty('$ref');
    expect(schema).toMatchObject({
      type: 'object',
      properties: { from: { type: 'integer' }, leaf: { $ref: '#/$defs/SpecLeaf' } },
      required: ['from', 'to'],
      $defs: { SpecLeaf: { properties: { leaf: { description: 'a leaf' } } } },
    });
    expect(schema).not.toHaveProperty('$defs.SpecNamed');
  });

  it('keeps a definition that refers to itself', () => {
    const schema = {
      $ref: '#/$defs/Tree',
      $defs: { Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } } },
    };

    expect(withoutRootReference(schema)).toEqual({ ...schema.$defs.Tree, $defs: schema.$defs });
  });

  it('validates as before, refinements included', async () => {
    const { validate } = toolSchema(Named)['~standard'];

    expect(await validate({ from: 1, to: 2 })).toEqual({ value: { from: 1, to: 2 } });
    expect(await validate({ from: 2, to: 1 })).toMatchObject({ issues: [{ message: 'from is above to' }] });
  });
});
