import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';

/** The predefined reasons of a rejection, by their code, as the decision records them. */
export const REJECTION_SENTENCES = {
  wrong: 'It is wrong',
  narrow: 'Too narrow: one project or person',
  known: 'Agents already know this',
  unsafe: 'It could do harm',
  unclear: 'Too unclear to follow',
  outdated: 'Out of date',
} as const;
export type RejectionReason = keyof typeof REJECTION_SENTENCES;
// The keys of an object literal are its own.
export const REJECTION_REASONS = Object.keys(REJECTION_SENTENCES) as [RejectionReason, ...RejectionReason[]];

/** A predefined reason; `other` is a free text. */
export const RejectionKind = z.enum([...REJECTION_REASONS, 'other']);
export type RejectionKind = z.infer<typeof RejectionKind>;

/** Returns the predefined reason that a text begins with, as its sentence or its code: "narrow: one repository". */
export function rejectionKindOf(text: string): RejectionKind {
  const said = text.trim().toLowerCase();
  return REJECTION_REASONS.find((code) => says(said, code) || says(said, REJECTION_SENTENCES[code])) ?? 'other';
}

function says(text: string, start: string): boolean {
  return text.startsWith(start.toLowerCase()) && !/^[a-z0-9-]/.test(text.slice(start.length));
}

/** Why a proposal waits longer than its figures say: what it has in common with rejected ones. */
export const LoweredBy = z
  .object({
    reason: RejectionKind,
    /** The same remedy against other failures, the same failing action, or the same kind of writer. */
    resembles: z.enum(['remedy', 'action', 'writer']),
    /** Rejections with this reason. */
    rejections: count,
  })
  .meta({ id: 'LoweredBy' });
export type LoweredBy = z.infer<typeof LoweredBy>;
