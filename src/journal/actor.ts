declare const reviewer: unique symbol;

export interface AgentActor {
  readonly kind: 'agent';
  readonly id: string;
  readonly name: string;
}

/** A part of the organisation: the agents of a department, of a role, or of a role in one department. */
export interface ReviewScopePart {
  readonly department?: string | undefined;
  readonly role?: string | undefined;
}

/**
 * A signed-in person with the reviewer role. The brand keeps every other actor out of the functions that decide:
 * only `access` makes one, from a person's short-lived credential.
 */
export interface ReviewerActor {
  readonly kind: 'reviewer';
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The parts of the organisation that this person decides for; null: all of it. */
  readonly reviewScope: readonly ReviewScopePart[] | null;
  readonly [reviewer]: true;
}

export interface AdminActor {
  readonly kind: 'admin';
  readonly id: string;
  readonly name: string;
}

/** Work that nobody asked for at that moment: a schedule, a background worker, the first start. */
export interface JobActor {
  readonly kind: 'job';
  readonly id: string;
  readonly name: string;
}

/** What a person decided, with that person: verbs that take several decisions at once take nothing else. */
export type Reviewed<T> = T & { readonly reviewer: ReviewerActor };

export type Actor = AgentActor | ReviewerActor | AdminActor | JobActor;

export const jobActor = (name: string): JobActor => ({ kind: 'job', id: `job:${name}`, name });

/** Throws for every other actor. The compiler holds this, too; here it is held where a cast got past it. */
export function requireJob({ kind }: Actor): void {
  if (kind !== 'job') throw new Error(`background work is done as a job, not as "${kind}"`);
}
