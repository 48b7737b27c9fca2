import type { LoweredBy } from '../../approvals/texts/rejection-reason.schema.js';
import { say } from './texts.js';

/** Why a proposal came later than its figures say; empty if nothing lowered it. */
export const loweredTexts = (lowered: readonly LoweredBy[] = []): string[] =>
  lowered.map(({ reason, resembles, rejections: n }) =>
    say(`before.lowered.${resembles}`, { n, reason: say(`reason.${reason}`) }),
  );
