import { describe, expect, it } from '@jest/globals';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { z } from 'zod';
import { openApiSchema, Returns } from './returns.decorator.js';

const Part = z.object({ id: z.uuid(), note: z.string().nullable() }).meta({ id: 'Part' });
const Whole = z.object({ parts: z.array(Part), count: z.int().min(1).default(20) }).meta({ id: 'Whole' });

describe('a schema in the API document', () => {
  it('is complete in itself: no reference into a place that the document has not', () => {
    const text = JSON.stringify(openApiSchema(Whole));
    expect(text).not.toContain('$ref');
    expect(text).not.toContain('$schema');
    expect(text).toContain('"format":"uuid"');
  });

  it('says null in the way of OpenAPI 3.0', () => {
    expect(openApiSchema(Part)).toMatchObject({ properties: { note: { type: 'string', nullable: true } } });
  });

  it('asks for what a caller must send: a field with a default is not needed', () => {
    expect(openApiSchema(Whole)).toMatchObject({ required: ['parts'] });
  });
});

describe('the answers of a route', () => {
  class Routes {
    @Returns(202, Whole)
    accept(): void {}
    @Returns(204)
    end(): void {}
  }
  const documented = (name: 'accept' | 'end'): unknown =>
    Reflect.getMetadata('swagger/apiResponse', Routes.prototype[name]);

  it('set the status that they document', () => {
    expect(Reflect.getMetadata(HTTP_CODE_METADATA, Routes.prototype.accept)).toBe(202);
    expect(Reflect.getMetadata(HTTP_CODE_METADATA, Routes.prototype.end)).toBe(204);
  });

  it('document a body where there is one, and every refusal as problem+json', () => {
    expect(documented('accept')).toMatchObject({
      202: { content: { 'application/json': { schema: { type: 'object' } } } },
      '4XX': { content: { 'application/problem+json': { schema: { type: 'object' } } } },
    });
    expect(documented('end')).toMatchObject({ 204: { description: 'Done' } });
    expect(JSON.stringify(documented('end'))).not.toContain('"application/json"');
  });
});
