import { z } from 'zod';

export const Health = z.object({ status: z.literal('ok') });

export const Ready = z.object({
  /** `degraded`: requests are answered, but something needs a person; `problems` says what. */
  status: z.enum(['ready', 'degraded']),
  problems: z.array(z.object({ code: z.string(), message: z.string() })),
  database: z.string(),
  roles: z.string(),
  /** Background work in progress, by name. `left` is null while it is unknown. */
  progress: z.record(z.string(), z.object({ done: z.int(), left: z.int().nullable() })),
});
export type Ready = z.infer<typeof Ready>;
