import type { Danger } from '../../untrusted/danger/danger.js';
import { dangersOfCall } from '../actions/action.js';
import type { ParsedCall } from './trial.js';

/** A dangerous form that a remedy used, with the redacted call as it was reported. */
export interface UsedDanger extends Danger {
  call: string;
}

/** Shown to a reviewer; a longer call is cut. */
const CALL_CHARACTERS = 400;
const DANGERS_PER_TRIAL = 5;

/** One call is a trial at several granularities. */
const FOUND = new WeakMap<ParsedCall, readonly UsedDanger[]>();

export function dangersOf(call: ParsedCall): readonly UsedDanger[] {
  const known = FOUND.get(call);
  if (known) return known;
  const text = call.text.slice(0, CALL_CHARACTERS);
  const found = dangersOfCall(call.shape.tool, call.text).map((danger) => ({ ...danger, call: text }));
  FOUND.set(call, found);
  return found;
}

/** The dangers of a remedy: of the call itself and of the successful calls since the failure, which may prepare it. */
export function dangersOfRemedy(later: ParsedCall, between: readonly ParsedCall[]): UsedDanger[] {
  const calls = [later, ...between.filter((call) => call.ok)];
  const found = calls.flatMap(dangersOf);
  // The worst come first, since what is stored is limited.
  const rank = ({ class: kind }: UsedDanger): number => (kind === 'check' ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, DANGERS_PER_TRIAL);
}
