import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import { covers } from '../../src/evolve/evidence/check.js';
import type { RecordedCall } from '../../src/evolve/evidence/recorded-execution.js';
import type { ExaminedFamily } from '../transfer/examined.js';

/** The family whose failures the condition of a predicate matches most; the first of equals; undefined if none. */
export function familyOf(predicate: Predicate, families: readonly ExaminedFamily[]): ExaminedFamily | undefined {
  const isCovered = covers(predicate);
  let best: { of: ExaminedFamily; n: number } | undefined;
  for (const of of families) {
    const calls = [...of.halves.a, ...of.halves.b].flatMap((one) => one.calls);
    const n = calls.filter((call) => of.isMember(call) && isCovered(call)).length;
    if (n > (best?.n ?? 0)) best = { of, n };
  }
  return best?.of;
}

/**
 * Returns a test for the failures that a lesson about a family may claim: of a family that was not split off the values
 * that were are part of it. `value`: only failures whose call or error holds it.
 */
export function claimedBy({ family, isMember }: ExaminedFamily, value?: string): (call: RecordedCall) => boolean {
  const prints = new Set(family.fingerprints);
  const isClaimed =
    family.value === undefined
      ? (call: RecordedCall) => call.failure !== undefined && prints.has(call.failure.fingerprint)
      : isMember;
  if (value === undefined) return isClaimed;
  const wanted = value.toLowerCase();
  return (call) => isClaimed(call) && `${call.text}\n${call.error}`.toLowerCase().includes(wanted);
}
