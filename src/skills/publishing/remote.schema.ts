import { z } from 'zod';

export const RemoteState = z.object({
  branch: z.string(),
  state: z.enum(['waiting', 'pushed', 'rejected', 'unreachable']),
  /** The commit that the remote has. */
  commit: z.string().nullable(),
  at: z.string().nullable(),
  /** What the remote said when it did not take it. */
  reason: z.string().nullable(),
  nextAttempt: z.string().nullable(),
});
export type RemoteState = z.infer<typeof RemoteState>;

export const RepositoryFinding = z.object({
  kind: z.string(),
  subject: z.string(),
  /** The amend item that a change by hand waits as. */
  approval: z.uuid().nullable(),
  /** Why it did not become one, or not as a whole. */
  problem: z.string().nullable(),
});
export type RepositoryFinding = z.infer<typeof RepositoryFinding>;

/** The published repository: where its main is, and how far a configured remote has come. */
export const RepositoryState = z
  .object({
    head: z.string().nullable(),
    remote: RemoteState.nullable(),
    /** Differences between git and what was decided that are left for a person. */
    findings: z.array(RepositoryFinding),
  })
  .meta({ id: 'RepositoryState' });
export type RepositoryState = z.infer<typeof RepositoryState>;
