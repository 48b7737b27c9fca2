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

const ServerProcess = z.object({
  id: z.uuid(),
  /** The name of the machine. */
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  address: z.string(),
  /** Whether background work has its own role in the database; null for the embedded one. */
  roleInForce: z.boolean().nullable(),
  /** `shared`: the folder that publishes. `own`: one that follows the database. Null until it is known. */
  skillsFolder: z.string().nullable(),
  /** Changes of memories that its search index has not read. It reads them before it answers. */
  indexBehind: z.int().nullable(),
  startedAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  /** True for the process that answered. */
  isThis: z.boolean(),
});

const Queue = z.object({
  name: z.string(),
  length: z.int(),
  /** How long the oldest item has waited; null for an empty queue. */
  oldestSeconds: z.int().nullable(),
});

const Job = z.object({
  name: z.string(),
  /** A cron expression in the time zone of the server, or `every 60 s`. */
  schedule: z.string(),
  state: z.enum(['waiting', 'running']),
  /** The start of the last run, or of the present one. */
  lastRunAt: z.iso.datetime().nullable(),
  seconds: z.number().nullable(),
  /** `busy`: such a run was under way; the job is tried again. Null while it runs. */
  outcome: z.enum(['completed', 'busy', 'failed']).nullable(),
  /** The machine of that run. */
  host: z.string().nullable(),
  nextRunAt: z.iso.datetime(),
});

export const ServerState = z.object({
  database: z.enum(['embedded', 'postgresql']),
  /** Those that were seen within a minute, the oldest first. */
  processes: z.array(ServerProcess),
  /** Rows that wait for background work, in all processes together. */
  queues: z.array(Queue),
  /** Jobs that one process runs for all. */
  jobs: z.array(Job),
  role: z.object({
    /** Why the role of background work is not in force; null if it is. */
    problem: z.string().nullable(),
    /** What an administrator of the database server runs once, before a restart. Empty if nothing helps. */
    sql: z.array(z.string()),
  }),
});
export type ServerState = z.infer<typeof ServerState>;
