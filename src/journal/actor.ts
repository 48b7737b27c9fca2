declare const reviewer: unique symbol;

export interface AgentActor {
  readonly kind: 'agent';
  readonly id: string;
  readonly name: string;
}

/** A part of a review scope: the agents of a department, of a role, or of a role in one department. */
export interface ReviewScopePart {
  readonly department?: string | undefined;
  readonly role?: string | undefined;
}

/**
 * A signed-in person with the reviewer role. The brand keeps every other actor out of the functions that decide: only
 * `access` creates it, from a person's short-lived credential.
 */
export interface ReviewerActor {
  readonly kind: 'reviewer';
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The groups of agents for which this person decides; null means the whole organisation. */
  readonly reviewScope: readonly ReviewScopePart[] | null;
  readonly [reviewer]: true;
}

export interface AdminActor {
  readonly kind: 'admin';
  readonly id: string;
  readonly name: string;
}

/** A signed-in person who is the stated owner of the agent that the action is about. */
export interface OwnerActor {
  readonly kind: 'owner';
  readonly id: string;
  readonly name: string;
}

/** Work without a person behind it: a schedule, a background worker, the first start. */
export interface JobActor {
  readonly kind: 'job';
  readonly id: string;
  readonly name: string;
}

/** A decision with its reviewer. Verbs that process several decisions at once take nothing else. */
export type Reviewed<T> = T & { readonly reviewer: ReviewerActor };

export type Actor = AgentActor | ReviewerActor | AdminActor | OwnerActor | JobActor;

export const jobActor = (name: string): JobActor => ({ kind: 'job', id: `job:${name}`, name });

/** Throws for every other actor. The compiler enforces this as well; the check covers casts. */
export function requireJob({ kind }: Actor): void {
  if (kind !== 'job') throw new Error(`background work needs a job as its actor, not "${kind}"`);
}
