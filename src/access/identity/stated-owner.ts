/** The names by which the owner of an agent is stated. */
export interface NamedPerson {
  readonly name: string;
  readonly email: string | null;
}

/** Returns whether the person is the owner that an agent states, by name or e-mail address in any case. */
export function isStatedOwner({ name, email }: NamedPerson, owner: string | null): boolean {
  const stated = owner?.toLowerCase();
  return stated !== undefined && [name, email].some((known) => known?.toLowerCase() === stated);
}
