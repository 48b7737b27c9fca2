import { callOf } from '../../src/learning/calls/call.js';
import type { LearnedClaim } from '../../src/learning/patterns/pattern.schema.js';

/** What a claim says that the learning core could have found: this call with that error is overcome by another call. */
export interface ClaimInWords {
  readonly call: string;
  readonly error: string;
  readonly remedy: string;
  /** A call that has to work before it. */
  readonly step?: string;
  /** What a try has that follows; without it the words that only the remedy has, or the step. */
  readonly follow?: readonly string[];
}

/** The claim of one condition without variables. The error may go on. */
export function learnedClaim({ call, error, remedy, step, follow }: ClaimInWords): LearnedClaim {
  const failed = callOf({ tool: 'Bash', action: call, ok: false, errorLine: error, errorText: error }, 0);
  const tokensOf = (action: string): string[] => [...callOf({ tool: 'Bash', action, ok: true }, 0).tokens];
  const taught = tokensOf(remedy);
  const added = taught.flatMap((one) => (failed.tokens.includes(one) ? [] : [`+${one}`]));
  const own = follow ?? (step === undefined ? added : [`step ${step}`]);
  const condition = {
    tool: 'shell',
    call: [...failed.tokens],
    error: [...failed.error, { any: 'more' }],
    remedy: taught,
    values: {},
    closed: {},
    said: [...failed.said].sort(),
    ...(step === undefined ? {} : { step: tokensOf(step) }),
  };
  return { key: own[0] ?? '', follow: [...own], rivals: [], conditions: [condition] };
}
