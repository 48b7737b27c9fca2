import { DAY_MS } from '../../platform/base/durations.js';

/** When an undecided proposal expires. */
export const expiryOf = (createdAt: Date, { proposalExpiryDays }: { readonly proposalExpiryDays: number }): Date =>
  new Date(createdAt.getTime() + proposalExpiryDays * DAY_MS);
