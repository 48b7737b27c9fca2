import type { AdminActor, JobActor, ReviewerActor, ReviewScopePart } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { AccessRule, CallerKind, Scope } from '../../platform/http/require-scope.decorator.js';

/** The holder of a request's credential, and what the credential allows. Only `authenticate` creates it. */
export interface Caller {
  readonly id: string;
  readonly credentialId: string;
  readonly kind: CallerKind;
  readonly name: string;
  readonly email: string | null;
  readonly owner: string | null;
  /** Role and department of an agent: it shares memory with agents that have the same. */
  readonly role: string | null;
  readonly department: string | null;
  readonly isReviewer: boolean;
  readonly isAdmin: boolean;
  /** The groups of agents for which a reviewer decides; null means the whole organisation. */
  readonly reviewScope: readonly ReviewScopePart[] | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Throws unless one of the route's rules fits the caller. The error names what is missing. */
export function requireAccess(caller: Caller, rules: readonly AccessRule[]): void {
  const forKind = rules.filter(({ kinds }) => kinds.includes(caller.kind));
  if (forKind.some(({ scope }) => caller.scopes.includes(scope))) return;
  const [rule] = forKind;
  if (!rule && rules.some(({ scope }) => scope === 'decide'))
    throw new DomainError('forbidden', 'access.not_a_person', 'Only a signed-in person can decide.');
  if (!rule)
    throw new DomainError(
      'forbidden',
      'access.wrong_kind',
      `This route does not accept the credential of a ${caller.kind}.`,
    );
  throw new DomainError('forbidden', 'access.scope_missing', `This credential lacks the scope "${rule.scope}".`);
}

/**
 * Returns the caller as a reviewer, the only actor that can decide: a person with the reviewer role, on a short-lived
 * credential. Throws `forbidden` for every other caller.
 */
export function asReviewer(caller: Caller): ReviewerActor {
  if (caller.kind !== 'person' || !caller.isReviewer || !caller.scopes.includes('decide') || caller.email === null)
    throw new DomainError('forbidden', 'access.not_a_reviewer', 'Only a signed-in reviewer can decide.');
  // The only place that creates the brand, after the checks above.
  const { id, name, email, reviewScope } = caller;
  return { kind: 'reviewer', id, name, email, reviewScope } as ReviewerActor;
}

/** Whether this is an administrator, on a credential that may administer. */
export const canAdminister = ({ isAdmin, scopes }: Caller): boolean => isAdmin && scopes.includes('administer');

/** Whether this is a reviewer, on a credential that may decide. */
export const canDecideProposals = ({ isReviewer, scopes }: Caller): boolean => isReviewer && scopes.includes('decide');

/**
 * Returns the caller as the person responsible for what agents receive: a reviewer, or else an administrator. A person
 * who is both, and whose review scope is limited, acts as an administrator, who is not bound by a review scope.
 */
export function asReviewerOrAdmin(caller: Caller): ReviewerActor | AdminActor {
  return canDecideProposals(caller) && !(canAdminister(caller) && caller.reviewScope !== null)
    ? asReviewer(caller)
    : asAdmin(caller);
}

/** Returns the job of a caller who may start a cycle: an administrator, or a service with the scope `propose`. */
export function asProposer(caller: Caller): JobActor {
  return jobRequestedBy(caller.kind === 'service' && caller.scopes.includes('propose') ? caller : asAdmin(caller));
}

/**
 * Returns the job actor of background work that a caller requested. Under the worker role the journal accepts entries
 * of jobs only.
 */
export const jobRequestedBy = ({ id, name }: Pick<Caller, 'id' | 'name'>): JobActor => ({
  kind: 'job',
  id,
  name: `requested by ${name}`,
});

export function asAdmin(caller: Caller): AdminActor {
  if (caller.kind !== 'person' || !canAdminister(caller))
    throw new DomainError('forbidden', 'access.not_an_admin', 'Only a signed-in administrator can do this.');
  return { kind: 'admin', id: caller.id, name: caller.name };
}
