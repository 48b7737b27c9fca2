import type { Derivation } from '../../memory/store/derivation.js';

/** What a tool call does. Whoever does not say is taken to change something. */
export type ToolEffect = 'reads' | 'changes' | 'irreversible';

export type Denial =
  /** There is no such memory that this agent can see. */
  | 'unknown'
  /** It was superseded or retired. */
  | 'ended'
  /** Nobody verified it. */
  | 'unverified'
  /** It was concluded, directly or through others, from what is not verified, or is gone. */
  | 'derived_from_unverified'
  /** It rests on more than can be looked through. */
  | 'too_many_sources';

export interface GateVerdict {
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
  derivations: readonly Omit<Derivation, 'scope' | 'endedAt'>[],
  effect: ToolEffect,
  complete: boolean,
): GateVerdict {
  const reasons = [...new Set(memories)].flatMap((memory) => {
    const because = denial(memory, visible, derivations, effect, complete);
    return because === undefined ? [] : [{ memory, because }];
  });
  return { allowed: reasons.length === 0, reasons };
}

function denial(
  memory: string,
  visible: ReadonlySet<string>,
  derivations: readonly Omit<Derivation, 'scope' | 'endedAt'>[],
  effect: ToolEffect,
  complete: boolean,
): Denial | undefined {
  const memoryState = derivations.find(({ root, id }) => root === memory && id === memory);
  const exists = memoryState !== undefined && memoryState.provenance !== null;
  if (exists && memoryState.ended) return visible.has(memory) ? 'ended' : 'unknown';
  if (!exists || !visible.has(memory)) return complete || exists ? 'unknown' : 'too_many_sources';
  if (effect === 'reads') return undefined;
  if (memoryState.provenance !== 'verified') return 'unverified';
  if (derivations.some(({ root, provenance, ended }) => root === memory && (provenance !== 'verified' || ended)))
    return 'derived_from_unverified';
  return complete ? undefined : 'too_many_sources';
}
