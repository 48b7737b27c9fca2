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

export const ServerState = z.object({
  database: z.enum(['embedded', 'postgresql']),
  role: z.object({
    /** Why the role of background work is not in force; null if it is. */
    problem: z.string().nullable(),
    /** What an administrator of the database server runs once, before a restart. Empty if nothing helps. */
    sql: z.array(z.string()),
  }),
});
export type ServerState = z.infer<typeof ServerState>;
