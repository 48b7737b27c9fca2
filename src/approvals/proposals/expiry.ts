import { DAY_MS } from '../../platform/base/durations.js';

/** When an item that nobody decides on ends (spec E3). */
export const expiryOf = (createdAt: Date, { proposalExpiryDays }: { readonly proposalExpiryDays: number }): Date =>
  new Date(createdAt.getTime() + proposalExpiryDays * DAY_MS);
