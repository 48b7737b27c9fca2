import { z } from 'zod';

export const RemoteState = z.object({
  branch: z.string(),
  state: z.enum(['waiting', 'pushed', 'rejected', 'unreachable']),
  /** The commit that the remote has. */
  commit: z.string().nullable(),
  at: z.string().nullable(),
  /** Message of the remote if it refused the push. */
  reason: z.string().nullable(),
  nextAttempt: z.string().nullable(),
});
export type RemoteState = z.infer<typeof RemoteState>;

export const RepositoryFinding = z.object({
  kind: z.string(),
  subject: z.string(),
  /** Id of the proposal for an external edit. */
  proposalId: z.uuid().nullable(),
  /** Why it did not become a proposal, or only in part. */
  problem: z.string().nullable(),
});
export type RepositoryFinding = z.infer<typeof RepositoryFinding>;

/** The published repository: the head of main, and the state of a configured remote. */
export const RepositoryState = z
  .object({
    head: z.string().nullable(),
    remote: RemoteState.nullable(),
    /** Differences between git and the decisions that are left to a person. */
    findings: z.array(RepositoryFinding),
  })
  .meta({ id: 'RepositoryState' });
export type RepositoryState = z.infer<typeof RepositoryState>;
