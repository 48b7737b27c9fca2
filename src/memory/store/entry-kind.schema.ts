import { z } from 'zod';

/** The kinds of what an agent keeps from one session to the next. */
export const ENTRY_KINDS = ['fact', 'decision', 'preference', 'session-summary', 'open-thread'] as const;
export const EntryKind = z.enum(ENTRY_KINDS);
export type EntryKind = z.infer<typeof EntryKind>;
