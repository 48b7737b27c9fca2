import { isStatedOwner } from '../../access/identity/stated-owner.js';
import type { AdminActor, OwnerActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';

/** A signed-in person, as far as the rights to an agent's lessons go. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly isAdmin: boolean;
}

/**
 * Returns the person as the actor for the lessons of an agent: an administrator, or the agent's owner, who is stated by
 * name or e-mail address in any case. Throws `forbidden` for everyone else.
 */
export function lessonKeeper(person: SignedInPerson, owner: string | null): AdminActor | OwnerActor {
  const { id, name, email, isAdmin } = person;
  if (isAdmin) return { kind: 'admin', id, name };
  if (isStatedOwner({ name, email }, owner)) return { kind: 'owner', id, name };
  throw new DomainError(
    'forbidden',
    'memory.not_owner',
    "Only the agent's owner or an administrator corrects or deletes its lessons.",
  );
}
