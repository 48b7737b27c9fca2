import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { DomainError } from '../base/domain.errors.js';
import { requestPipe } from './request.pipe.js';

const Report = z.strictObject({
  title: z.string().max(10),
  calls: z.array(z.strictObject({ name: z.string() })).default([]),
});
const body = (schema: z.ZodType) => ({ type: 'body', schema }) as const;

/** Returns the error with which the pipe rejects a value. */
async function refusal(value: unknown, metadata: Parameters<ReturnType<typeof requestPipe>['transform']>[1]) {
  const error = await requestPipe()
    .transform(value, metadata)
    .then(() => undefined)
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof DomainError)) throw new Error('it was not refused');
  return error;
}

describe('the input of a request', () => {
  it('is passed on as parsed by its schema, with defaults', async () => {
    expect(await requestPipe().transform({ title: 'books' }, body(Report))).toEqual({ title: 'books', calls: [] });
  });

  it('is rejected with the path of every invalid field', async () => {
    const error = await refusal({ title: 7, calls: [{ name: 'Bash' }, { name: null }] }, body(Report));
    expect(error).toMatchObject({ kind: 'invalid', code: 'request.invalid' });
    expect(error.fields.map(({ field }) => field)).toEqual(['title', 'calls.1.name']);
    expect(error.message).toMatch(/^title: /);
  });

  it('is rejected with the name of every unknown field', async () => {
    const error = await refusal(
      { title: 'x', prompt: 'secret', calls: [{ name: 'Bash', output: 'secret' }] },
      body(Report),
    );
    expect(error.fields).toEqual(
      expect.arrayContaining([
        { field: 'prompt', message: 'is not a known field' },
        { field: 'calls.0.output', message: 'is not a known field' },
      ]),
    );
    expect(JSON.stringify(error.fields)).not.toContain('secret');
  });

  it('is named (body) if the whole of it is invalid', async () => {
    expect((await refusal([], body(Report))).fields[0]?.field).toBe('(body)');
    expect((await refusal(undefined, body(Report))).fields[0]?.field).toBe('(body)');
  });

  it('is named after the parameter if it is part of the path', async () => {
    const error = await refusal('x', { type: 'param', data: 'id', schema: z.uuid({ error: 'must be a UUID' }) });
    expect(error.message).toBe('id: must be a UUID');
  });

  it('is rejected with a bounded list of fields', async () => {
    const error = await refusal({ title: 'x', calls: Array.from({ length: 5_000 }, () => ({})) }, body(Report));
    expect(error.fields.length).toBeLessThanOrEqual(50);
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${n}`.padStart(500, 'x'), n]));
    const unknown = await refusal({ title: 'x', ...keys }, body(Report));
    expect(JSON.stringify(unknown.fields).length).toBeLessThan(5_000);
  });
});
