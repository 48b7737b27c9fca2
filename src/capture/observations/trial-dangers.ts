import type { Danger } from '../../untrusted/danger/danger.js';

/** A dangerous form that a remedy used, with the redacted call as it was reported. */
export interface UsedDanger extends Danger {
  call: string;
}
