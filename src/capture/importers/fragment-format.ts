import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import type { ExecutionSkillUses } from '../report/skill-use.js';

/** What a piece says about the execution that it belongs to. */
export type FragmentSignal =
  /** It is over; what comes later is a straggler. */
  | 'ended'
  /** It may be over: if nothing follows for a while, it is. */
  | 'paused'
  /** It is not over, whatever an earlier pause looked like. */
  | 'goes-on'
  | 'nothing';

/** A piece on its way into the store. Keys are checked or hashed: they hold no text of anybody's. */
export interface NewFragment {
  readonly key: string;
  readonly parentKey: string | undefined;
  /** Pieces about one tool call share it. */
  readonly joinKey: string | undefined;
  readonly signal: FragmentSignal;
  readonly facts: Sanitized<object>;
  readonly findings: readonly Redaction[];
}

export interface StoredFragment {
  readonly key: string;
  readonly parentKey: string | null;
  readonly joinKey: string | null;
  readonly facts: unknown;
  readonly findings: readonly Redaction[];
}

/** How sure it is that no more will come: after an end, after a long silence, or after the longest that we wait. */
export type AssemblyStage = 'ended' | 'paused' | 'expired';

export interface AssembledExecution {
  readonly report: ExecutionReport;
  readonly skillUses: readonly ExecutionSkillUses[];
  /** Of the pieces that it was made from. */
  readonly findings: readonly Redaction[];
}

/** Strategy: a format whose executions arrive piece by piece. Pure. The same pieces in any order give the same reports. */
export interface FragmentFormat {
  readonly format: string;
  assemble(key: string, pieces: readonly StoredFragment[], stage: AssemblyStage): AssembledExecution[];
}
