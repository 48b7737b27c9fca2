import type { ReviewScopePart } from '../../journal/actor.js';

/** Where an agent stands; null where its registration says nothing. */
export interface AgentGroup {
  readonly department: string | null;
  readonly role: string | null;
}

/**
 * Whether whoever has this review scope may decide for all of these places. Without a review scope a person decides for the whole
 * organisation, and nobody else does: an audience without a place is everybody. The database has the same rule
 * (`review_scope_covers`).
 */
export function reviewScopeCovers(
  reviewScope: readonly ReviewScopePart[] | null,
  audience: readonly AgentGroup[],
): boolean {
  if (reviewScope === null) return true;
  return audience.length > 0 && audience.every((place) => reviewScope.some((part) => includesGroup(part, place)));
}

function includesGroup({ department, role }: ReviewScopePart, place: AgentGroup): boolean {
  if (department === undefined && role === undefined) return false;
  return (department === undefined || department === place.department) && (role === undefined || role === place.role);
}

/** As people read it. */
export const groupName = ({ department, role }: ReviewScopePart | AgentGroup): string =>
  [role ?? null, department ?? null].filter((word) => word !== null).join(' in ') || 'agents without a department';
