import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { exampleOf, type JsonSchema } from './api-document.js';
import { openApiSchema } from './returns.decorator.js';

const SAMPLES = new Map<string, unknown>([
  ['name', 'build-bot'],
  ['agent', 'build-bot'],
  ['endedAt', null],
  ['tags', ['shell']],
  ['risk', 'enormous'],
]);

describe('an example', () => {
  it('matches its schema and uses example values by name where they fit', () => {
    const schema = z.object({
      name: z.string(),
      agent: z.uuid(),
      risk: z.enum(['low', 'high']),
      endedAt: z.string().nullable(),
      tags: z.array(z.string()),
      inner: z.object({ tags: z.array(z.uuid()) }),
      steps: z.array(z.object({ n: z.int().min(3), done: z.boolean() })),
      email: z.email(),
      at: z.iso.datetime({ offset: true }),
      either: z.union([z.object({ as: z.literal('keep') }), z.object({ as: z.literal('amend') })]),
    });
    const example = exampleOf(openApiSchema(schema), SAMPLES);
    expect(schema.parse(example)).toMatchObject({
      name: 'build-bot',
      agent: expect.stringMatching(/^[0-9a-f]{8}-/),
      risk: 'low',
      endedAt: null,
      tags: ['shell'],
      inner: { tags: [expect.stringMatching(/^[0-9a-f]{8}-/)] },
      steps: [{ n: 3, done: true }],
      either: { as: 'keep' },
    });
  });

  it('is the same every time and ends for a recursive schema', () => {
    const endless: { type: string; properties: Record<string, JsonSchema> } = { type: 'object', properties: {} };
    endless.properties['self'] = endless;
    expect(exampleOf(endless, SAMPLES)).toEqual(exampleOf(endless, SAMPLES));
  });
});
