import { describe, expect, it } from '@jest/globals';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { z } from 'zod';
import { AlsoReturns, convertSchema, openApiSchema, Refuses, Returns, TakesIfMatch } from './returns.decorator.js';

const Part = z.object({ id: z.uuid(), note: z.string().nullable() }).meta({ id: 'Part' });
const Whole = z.object({ parts: z.array(Part), count: z.int().min(1).default(20) }).meta({ id: 'Whole' });

describe('an inline schema of the API document', () => {
  it('has no reference', () => {
    const text = JSON.stringify(openApiSchema(Whole));
    expect(text).not.toContain('$ref');
    expect(text).not.toContain('$schema');
    expect(text).toContain('"format":"uuid"');
  });

  it('expresses null as OpenAPI 3.0 does', () => {
    expect(openApiSchema(Part)).toMatchObject({ properties: { note: { type: 'string', nullable: true } } });
  });

  it('requires what a caller must send: a field with a default is optional', () => {
    expect(openApiSchema(Whole)).toMatchObject({ required: ['parts'] });
  });

  it('has no pattern beside a format, and no bounds of a safe integer', () => {
    expect(openApiSchema(z.object({ id: z.uuid(), n: z.int() }))).toMatchObject({
      properties: { id: { type: 'string', format: 'uuid' }, n: { type: 'integer' } },
    });
    expect(JSON.stringify(openApiSchema(z.object({ id: z.uuid(), n: z.int() })))).not.toMatch(/pattern|imum/);
  });
});

describe('a named schema of the API document', () => {
  it('is a component, and so is each named schema in it', () => {
    const { schema, components = {} } = convertSchema(z.array(Whole)) ?? {};
    expect(schema).toEqual({ type: 'array', items: { $ref: '#/definitions/Whole' } });
    expect(Object.keys(components).sort()).toEqual(['Part', 'Whole']);
  });

  it('is only made of zod schemas', () => {
    expect(convertSchema({ type: 'object' })).toBeUndefined();
  });
});

describe('the answers of a route', () => {
  class Routes {
    @Returns(202, Whole, { etag: 'The revision' })
    @AlsoReturns(200, 'As text', z.string(), 'text/plain')
    @Refuses(409, 'part.missing', 'part.taken')
    @TakesIfMatch('part.changed')
    accept(): void {}
    @Returns(204)
    end(): void {}
  }
  const documented = (name: 'accept' | 'end'): Record<string, unknown> =>
    Reflect.getMetadata('swagger/apiResponse', Routes.prototype[name]);

  it('set the status that they document', () => {
    expect(Reflect.getMetadata(HTTP_CODE_METADATA, Routes.prototype.accept)).toBe(202);
    expect(Reflect.getMetadata(HTTP_CODE_METADATA, Routes.prototype.end)).toBe(204);
  });

  it('document a body where there is one, in its media type, with its headers', () => {
    expect(documented('accept')).toMatchObject({
      202: { standardSchema: Whole, headers: { etag: { description: 'The revision' } } },
      200: { content: { 'text/plain': { schema: { type: 'string' } } } },
    });
    expect(documented('end')).toMatchObject({ 204: { description: 'Done' } });
    expect(Object.keys(Object(documented('end')[204]))).not.toContain('headers');
  });

  it('document the codes of a refusal as problem+json, with an example', () => {
    expect(documented('accept')).toMatchObject({
      409: {
        description: 'Conflict',
        content: {
          'application/problem+json': {
            schema: { allOf: [{}, { properties: { code: { enum: ['part.missing', 'part.taken'] } } }] },
            example: { status: 409, code: 'part.missing' },
          },
        },
      },
      412: { description: 'Precondition failed' },
    });
  });
});
