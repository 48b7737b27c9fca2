import type { Derivation } from '../../memory/store/derivation.js';

/** The effect of a tool call. Without one, the schema assumes `changes`. */
export type ToolEffect = 'reads' | 'changes' | 'irreversible';

export type Denial =
  /** No such memory is visible to this agent. */
  | 'unknown'
  /** It was superseded or retired. */
  | 'ended'
  /** It is not verified. */
  | 'unverified'
  /** A memory that it was derived from, directly or indirectly, is unverified, ended or missing. */
  | 'derived_from_unverified'
  /** Neither a person nor executions of two owners stand for it, or for a memory that it was derived from. */
  | 'insufficient_evidence'
  /** It was derived from more memories than the gate reads. */
  | 'too_many_sources';

export interface GateVerdict {
  readonly allowed: boolean;
  readonly reasons: readonly { readonly memory: string; readonly because: Denial }[];
}

/**
 * Decides whether memories may lead to this call. A reading call needs memories that exist and are live. Any other call
 * needs every memory, and every source of it, to be verified and live, and to be among the `authorised`: a person, or as
 * configured executions of two owners, stand for it. `derivations` holds each memory itself and its sources; `complete`
 * is false if there were more than were read. Fails closed: anything unknown is denied.
 */
export function gateVerdict(
  memories: readonly string[],
  visible: ReadonlySet<string>,
  derivations: readonly Omit<Derivation, 'scope' | 'endedAt'>[],
  authorised: ReadonlySet<string>,
  effect: ToolEffect,
  complete: boolean,
): GateVerdict {
  const reasons = [...new Set(memories)].flatMap((memory) => {
    const because = denial(memory, visible, derivations, authorised, effect, complete);
    return because === undefined ? [] : [{ memory, because }];
  });
  return { allowed: reasons.length === 0, reasons };
}

function denial(
  memory: string,
  visible: ReadonlySet<string>,
  derivations: readonly Omit<Derivation, 'scope' | 'endedAt'>[],
  authorised: ReadonlySet<string>,
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
  if (derivations.some(({ root, id }) => root === memory && !authorised.has(id))) return 'insufficient_evidence';
  return complete ? undefined : 'too_many_sources';
}
