import type { Tx } from './database.js';

/**
 * Takes or renews the named lease for `holder`, for `ms` milliseconds. Returns false while another holder's lease has not
 * expired.
 */
export async function takeLease(tx: Tx, name: string, holder: string, now: Date, ms: number): Promise<boolean> {
  const taken = await tx.$executeRaw`
    INSERT INTO "lease" ("name", "holder", "until") VALUES (${name}, ${holder}::uuid, ${new Date(now.getTime() + ms)})
    ON CONFLICT ("name") DO UPDATE SET "holder" = excluded."holder", "until" = excluded."until"
    WHERE "lease"."until" <= ${now} OR "lease"."holder" = excluded."holder"`;
  return taken === 1;
}

/** Who holds the named lease now; undefined if it is free. */
export async function leaseHolder(tx: Tx, name: string, now: Date): Promise<string | undefined> {
  const lease = await tx.lease.findUnique({ where: { name } });
  return lease !== null && lease.until > now ? lease.holder : undefined;
}

export async function releaseLease(tx: Tx, name: string, holder: string): Promise<void> {
  await tx.lease.deleteMany({ where: { name, holder } });
}

/**
 * Runs `work` and renews its lease every `everyMs`, so that the lease can be short: a process that is killed holds it no
 * longer. `work` learns from its own renewals that it has lost the lease; a renewal that fails here is tried again.
 */
export async function whileRenewing<T>(
  everyMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => void renew().catch(() => undefined), everyMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
