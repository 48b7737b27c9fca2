import type { ReviewScopePart } from '../../journal/actor.js';

/** The department and role of an agent; null if it was registered without. */
export interface AgentGroup {
  readonly department: string | null;
  readonly role: string | null;
}

/**
 * True if a person with this review scope may decide for the whole audience. Without a review scope a person decides
 * for the whole organisation. An empty audience means everybody, and only such a person may decide for it. The database
 * enforces the same rule (`review_scope_covers`).
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

/** Returns the name of a group for people. */
export const groupName = ({ department, role }: ReviewScopePart | AgentGroup): string =>
  [role ?? null, department ?? null].filter((word) => word !== null).join(' in ') || 'agents without a department';
