import type { Danger } from '../../untrusted/danger/danger.js';
import { dangersOfCall } from '../actions/action.js';
import type { ParsedCall } from './trial.js';

/** A dangerous form that a remedy used, with the redacted call as it was reported. */
export interface UsedDanger extends Danger {
  call: string;
}

/** Shown to a reviewer; a longer call is cut. */
const CALL_CHARACTERS = 400;

/** One call may follow several failures. */
const FOUND = new WeakMap<ParsedCall, readonly UsedDanger[]>();

export function dangersOf(call: ParsedCall): readonly UsedDanger[] {
  const known = FOUND.get(call);
  if (known) return known;
  const text = call.text.slice(0, CALL_CHARACTERS);
  const found = dangersOfCall(call.shape.tool, call.text).map((danger) => ({ ...danger, call: text }));
  FOUND.set(call, found);
  return found;
}
