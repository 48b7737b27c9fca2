import type { Verification } from './execution-report.schema.js';

/** One check by something other than the agent. */
export interface Check {
  name: string;
  ok: boolean;
}

/**
 * The checks of an execution; a bare outcome is one check without a name. Test runners append the reason to the name,
 * so `test_vat - AssertionError` becomes the check `test_vat`.
 */
export function checksOf({ outcome, source, checks }: Verification): Check[] {
  if (source === undefined || source === 'self') return [];
  if (checks === undefined || checks.length === 0)
    return outcome === 'none' ? [] : [{ name: '', ok: outcome === 'succeeded' }];
  const byName = new Map<string, boolean>();
  for (const { name, ok } of checks) {
    const plain = name.split(' - ', 1)[0]?.trim() ?? name;
    byName.set(plain, (byName.get(plain) ?? true) && ok);
  }
  return [...byName].map(([name, ok]) => ({ name, ok }));
}
