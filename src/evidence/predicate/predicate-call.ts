import type { Call } from '../../learning/calls/call.js';

/** A call of an execution as a predicate sees it. */
export interface PredicateCall {
  /** Its place in the execution, from 0. */
  readonly index: number;
  /** `shell` for shells, otherwise the tool's name in lower case. */
  readonly tool: string;
  /** What it is for: calls with one goal are the same action in another form (`run:python`, `sql select`). */
  readonly goal: string;
  /** The names of the call, with the kinds of its files and the steps on the same line: `cd`, `python3`, `python3 [file:.py]`. */
  readonly actions: ReadonlySet<string>;
  /** The call as it may be shown: the command line, or the arguments as JSON. */
  readonly text: string;
  /** Undefined if it proves nothing: its result is unknown, hidden by a pipe, or not its own fault. */
  readonly ok: boolean | undefined;
  /** The decisive error line; empty unless the call failed. */
  readonly error: string;
  /** The call as the learning core reads it; what it learned says nothing about a call without. */
  readonly read?: Call;
}
