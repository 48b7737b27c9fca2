import type { Ground } from '../../memory/store/ground.js';

/** What a tool call does. Whoever does not say is taken to change something. */
export type ToolEffect = 'reads' | 'changes' | 'irreversible';

export type Denial =
  /** There is no such memory that this agent can see. */
  | 'unknown'
  /** It was superseded or retracted. */
  | 'ended'
  /** Nobody verified it. */
  | 'unverified'
  /** It was concluded, directly or through others, from what is not verified, or is gone. */
  | 'rests_on_unverified'
  /** It rests on more than can be looked through. */
  | 'too_many_sources';

export interface Verdict {
  readonly allowed: boolean;
  readonly reasons: readonly { readonly memory: string; readonly because: Denial }[];
}

/**
 * May memories feed this call (spec R5)? Reading needs only that they are there; whatever changes something needs every
 * one of them, and all that it rests on, to be verified and live. `grounds` holds each memory itself and its sources;
 * `complete` is false when there were more than were read. Whatever is not known to be good is denied.
 */
export function gateVerdict(
  memories: readonly string[],
  visible: ReadonlySet<string>,
  grounds: readonly Omit<Ground, 'scope' | 'endedAt'>[],
  effect: ToolEffect,
  complete: boolean,
): Verdict {
  const reasons = [...new Set(memories)].flatMap((memory) => {
    const because = denial(memory, visible, grounds, effect, complete);
    return because === undefined ? [] : [{ memory, because }];
  });
  return { allowed: reasons.length === 0, reasons };
}

function denial(
  memory: string,
  visible: ReadonlySet<string>,
  grounds: readonly Omit<Ground, 'scope' | 'endedAt'>[],
  effect: ToolEffect,
  complete: boolean,
): Denial | undefined {
  const own = grounds.find(({ root, id }) => root === memory && id === memory);
  const exists = own !== undefined && own.provenance !== null;
  if (exists && own.ended) return visible.has(memory) ? 'ended' : 'unknown';
  if (!exists || !visible.has(memory)) return complete || exists ? 'unknown' : 'too_many_sources';
  if (effect === 'reads') return undefined;
  if (own.provenance !== 'verified') return 'unverified';
  if (grounds.some(({ root, provenance, ended }) => root === memory && (provenance !== 'verified' || ended)))
    return 'rests_on_unverified';
  return complete ? undefined : 'too_many_sources';
}
