import { DAY_MS } from '../../platform/base/durations.js';

/** When an item that nobody decides on ends (spec E3). */
export const expiryOf = (createdAt: Date, { approvalExpiryDays }: { readonly approvalExpiryDays: number }): Date =>
  new Date(createdAt.getTime() + approvalExpiryDays * DAY_MS);
