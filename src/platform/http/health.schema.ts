import { z } from 'zod';

export const Health = z.object({ status: z.literal('ok') });

export const Ready = z.object({
  status: z.literal('ready'),
  database: z.string(),
  roles: z.string(),
  /** What it still works at beside its answers, by name; `left` is null while that is not known. */
  progress: z.record(z.string(), z.object({ done: z.int(), left: z.int().nullable() })),
});
export type Ready = z.infer<typeof Ready>;
