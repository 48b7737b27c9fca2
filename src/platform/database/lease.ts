import type { Tx } from './database.js';

/**
 * Takes or renews the named lease for `holder` until `until`. Returns false while another holder's lease has not
 * expired.
 */
export async function takeLease(tx: Tx, name: string, holder: string, now: Date, until: Date): Promise<boolean> {
  const taken = await tx.$executeRaw`
    INSERT INTO "lease" ("name", "holder", "until") VALUES (${name}, ${holder}::uuid, ${until})
    ON CONFLICT ("name") DO UPDATE SET "holder" = excluded."holder", "until" = excluded."until"
    WHERE "lease"."until" <= ${now} OR "lease"."holder" = excluded."holder"`;
  return taken === 1;
}

export async function releaseLease(tx: Tx, name: string, holder: string): Promise<void> {
  await tx.lease.deleteMany({ where: { name, holder } });
}
