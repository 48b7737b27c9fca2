import type { Part } from '../../journal/actor.js';

/** Where an agent stands; null where its registration says nothing. */
export interface Place {
  readonly department: string | null;
  readonly role: string | null;
}

/**
 * Whether whoever has this remit may decide for all of these places. Without a remit a person decides for the whole
 * organisation, and nobody else does: an audience without a place is everybody. The database has the same rule
 * (`remit_covers`).
 */
export function covers(remit: readonly Part[] | null, audience: readonly Place[]): boolean {
  if (remit === null) return true;
  return audience.length > 0 && audience.every((place) => remit.some((part) => holds(part, place)));
}

function holds({ department, role }: Part, place: Place): boolean {
  if (department === undefined && role === undefined) return false;
  return (department === undefined || department === place.department) && (role === undefined || role === place.role);
}

/** As people read it. */
export const partName = ({ department, role }: Part | Place): string =>
  [role ?? null, department ?? null].filter((word) => word !== null).join(' in ') || 'agents without a department';
