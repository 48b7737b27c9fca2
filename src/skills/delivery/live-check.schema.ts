import { z } from 'zod';
import { type Check, Verdict } from '../../evidence/predicate/check.schema.js';

/** What executions say about a live skill, those after its approval included. */
export const LiveCheck = z
  .object({
    verdict: Verdict,
    /** The tries with it and without it. */
    says: z.string(),
    /** When a cycle found it; null for what was known at the approval. */
    since: z.string().nullable(),
  })
  .meta({ id: 'LiveCheck' });
export type LiveCheck = z.infer<typeof LiveCheck>;

/** Those for whom the remedy worked. */
export interface Support {
  readonly agents: number;
  readonly owners: number;
  readonly projects: number;
  readonly tasks: number;
}

/** What a later cycle found about the claim of a live skill. */
export interface LiveFinding extends Support {
  readonly memoryId: string;
  readonly check: Check;
}

/**
 * Returns whether a check takes the place of the one that counts. Few tries take nothing back: neither what many confirmed,
 * nor what many refuted.
 */
export function replacesCheck(known: Verdict, found: Verdict): boolean {
  return found !== known && (found === 'confirmed' || found === 'refuted');
}
