import type { AdminActor, JobActor, ReviewerActor, ReviewScopePart } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { AccessRule, CallerKind, Scope } from '../../platform/http/require-scope.decorator.js';

/** Who holds the credential of a request, and what it allows. Made by `authenticate` only. */
export interface Caller {
  readonly id: string;
  readonly kind: CallerKind;
  readonly name: string;
  readonly email: string | null;
  readonly owner: string | null;
  /** Of an agent: what it shares memory by, beside the organisation. */
  readonly role: string | null;
  readonly department: string | null;
  readonly isReviewer: boolean;
  readonly isAdmin: boolean;
  /** What a reviewer decides for; null: the whole organisation. */
  readonly reviewScope: readonly ReviewScopePart[] | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Throws unless one of the route's rules fits the caller; the error says what is missing. */
export function requireAccess(caller: Caller, rules: readonly AccessRule[]): void {
  const forKind = rules.filter(({ kinds }) => kinds.includes(caller.kind));
  if (forKind.some(({ scope }) => caller.scopes.includes(scope))) return;
  const [rule] = forKind;
  if (!rule && rules.some(({ scope }) => scope === 'decide'))
    throw new DomainError('forbidden', 'access.not_a_person', 'Only a signed-in person decides.');
  if (!rule)
    throw new DomainError('forbidden', 'access.wrong_kind', `This is not for a credential of a ${caller.kind}.`);
  throw new DomainError('forbidden', 'access.scope_missing', `This credential lacks the scope "${rule.scope}".`);
}

/** The caller as the only actor that can decide: a person, a reviewer, on a short-lived credential. */
export function asReviewer(caller: Caller): ReviewerActor {
  if (caller.kind !== 'person' || !caller.isReviewer || !caller.scopes.includes('decide') || caller.email === null)
    throw new DomainError('forbidden', 'access.not_a_reviewer', 'Only a signed-in reviewer decides.');
  // The one place where the brand is given: behind the checks above.
  const { id, name, email, reviewScope } = caller;
  return { kind: 'reviewer', id, name, email, reviewScope } as ReviewerActor;
}

/**
 * The caller as whoever answers for what agents are given: a reviewer, or else an administrator. Whoever is both and
 * decides for a part of the organisation only acts as the administrator, whom a review scope does not bind.
 */
export function asReviewerOrAdmin(caller: Caller): ReviewerActor | AdminActor {
  const isAdmin = caller.isAdmin && caller.scopes.includes('administer');
  const isReviewer = caller.isReviewer && caller.scopes.includes('decide');
  return isReviewer && !(isAdmin && caller.reviewScope !== null) ? asReviewer(caller) : asAdmin(caller);
}

/** The caller as whoever has patterns looked for: an administrator, or a service that may propose. */
export function asProposer(caller: Caller): JobActor {
  return jobRequestedBy(caller.kind === 'service' && caller.scopes.includes('propose') ? caller : asAdmin(caller));
}

/** Background work that somebody asked for: under its role the journal takes entries of jobs alone. */
export const jobRequestedBy = ({ id, name }: Pick<Caller, 'id' | 'name'>): JobActor => ({
  kind: 'job',
  id,
  name: `asked by ${name}`,
});

export function asAdmin(caller: Caller): AdminActor {
  if (caller.kind !== 'person' || !caller.isAdmin || !caller.scopes.includes('administer'))
    throw new DomainError('forbidden', 'access.not_an_admin', 'Only a signed-in administrator does this.');
  return { kind: 'admin', id: caller.id, name: caller.name };
}
