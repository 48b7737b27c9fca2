import { z } from 'zod';

export const Health = z.object({ status: z.literal('ok') });

export const Ready = z.object({
  status: z.literal('ready'),
  database: z.string(),
  roles: z.string(),
  /** Background work in progress, by name. `left` is null while it is unknown. */
  progress: z.record(z.string(), z.object({ done: z.int(), left: z.int().nullable() })),
});
export type Ready = z.infer<typeof Ready>;
