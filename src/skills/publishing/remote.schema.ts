import { z } from 'zod';

/** A pull request of the decisions; at GitLab a merge request. */
export const PullRequestState = z.object({
  number: z.number().int(),
  /** Where people open it; null if the host gave none. */
  address: z.string().nullable(),
});
export type PullRequestState = z.infer<typeof PullRequestState>;

export const RemoteState = z.object({
  branch: z.string(),
  /** Where people clone it, without a credential; null for a folder of the server's machine. */
  address: z.string().nullable(),
  /**
   * `requested`: waits for the merge of a pull request. `refused`: it was closed without a merge. `standby`: another
   * process of this database pushes.
   */
  state: z.enum(['waiting', 'pushed', 'requested', 'refused', 'rejected', 'unreachable', 'standby']),
  /** The pull request, while it is open or after it was refused. */
  request: PullRequestState.nullable(),
  /** The commit that the remote has, or whose files it has after a pull request. */
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

/** The commits that the decisions explain. Only they are pushed. */
export const RepositoryHistory = z.object({
  known: z.string().nullable(),
  /** The first commit of main that they do not explain, and why. It is not pushed. */
  held: z
    .object({ commit: z.string(), reason: z.enum(['rewound', 'not-in-line', 'no-decision', 'differs']) })
    .nullable(),
  /** Heads of main that were replaced, each kept as refs/guildbook/held/<head>. */
  setAside: z.array(z.string()),
});

/** The published repository: the head of main, its known history, and the state of a configured remote. */
export const RepositoryState = z
  .object({
    head: z.string().nullable(),
    history: RepositoryHistory,
    remote: RemoteState.nullable(),
    /** Differences between git and the decisions that are left to a person. */
    findings: z.array(RepositoryFinding),
  })
  .meta({ id: 'RepositoryState' });
export type RepositoryState = z.infer<typeof RepositoryState>;
