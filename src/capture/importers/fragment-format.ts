import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { identifierKey, identifierReference } from '../../platform/base/identifier-reference.js';
import { present } from '../../platform/base/optional.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import type { ExecutionSkillUses } from '../report/skill-use.js';

/** What a fragment says about the state of its execution. */
export type FragmentSignal =
  /** The execution has ended; later fragments are late arrivals. */
  | 'ended'
  /** The execution may have ended: it has, if nothing follows for a while. */
  | 'paused'
  /** The execution continues, even after a pause. */
  | 'resumed'
  | 'none';

/** How the identifiers of a fragment are stored. */
export interface FragmentIdentifiers {
  /** A hash of identifiers that are only compared: of a session, a turn or a call. */
  keyOf(...identifiers: readonly string[]): string;
  /** A session's id as it goes into the report. */
  sessionOf(session: string): string;
}

/** The identifiers of fragments that are stored until their execution is assembled: keyed hashes and references. */
export const storedIdentifiers = (key: Uint8Array): FragmentIdentifiers => ({
  keyOf: (...identifiers) => identifierKey(key, canonicalJson(identifiers)),
  sessionOf: (session) => identifierReference(key, session),
});

/** For files that are imported here: their fragments are not stored, and the server makes the references. */
export const LOCAL_IDENTIFIERS: FragmentIdentifiers = {
  keyOf: (...identifiers) => sha256(canonicalJson(identifiers)).slice(0, 32),
  sessionOf: (session) => session,
};

/** A fragment to be stored. Keys are validated or hashed, so that they hold no text from outside. */
export interface NewFragment {
  readonly key: string;
  readonly parentKey: string | undefined;
  /** Shared by the fragments of one tool call. */
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

/**
 * Why no more fragments are expected: the execution ended, paused for long, was silent for long without an end or a
 * pause, or the maximum time has passed.
 */
export type AssemblyStage = 'ended' | 'paused' | 'silent' | 'expired';

export interface AssembledExecution {
  readonly report: ExecutionReport;
  readonly skillUses: readonly ExecutionSkillUses[];
  /** Redactions in the fragments of the execution. */
  readonly findings: readonly Redaction[];
}

/**
 * Strategy for a format whose executions arrive in fragments. Pure: the same fragments in any order give the same
 * reports.
 */
export interface FragmentFormat {
  readonly format: string;
  assemble(key: string, fragments: readonly StoredFragment[], stage: AssemblyStage): AssembledExecution[];
}

/** What fragments keep of a call and of its end. */
interface CallFacts {
  readonly tool?: (Pick<ToolCall, 'action' | 'arguments'> & { readonly name: string }) | undefined;
  readonly errorCategory?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly errorLine?: string | undefined;
  readonly ran?: boolean | undefined;
  readonly durationMs?: number | undefined;
}

/** The call of a report that fragments describe. */
export const callOfFacts = (
  { tool, errorCategory, errorMessage, errorLine, ran, durationMs }: CallFacts,
  ok: boolean,
): ToolCall => ({
  name: tool?.name ?? 'unnamed',
  action: tool?.action ?? '',
  ok,
  ...present({
    errorCategory: errorCategory?.slice(0, 100),
    errorMessage,
    errorLine,
    arguments: tool?.arguments,
    ran,
    durationMs,
  }),
});

/**
 * The end of the id of an assembled execution: the same fragments give the same one, however they arrived, and whether the
 * session is a reference or an id.
 */
export const contentDigest = (content: ExecutionReport): string =>
  sha256(canonicalJson({ ...content, sessionId: undefined, callKeys: undefined })).slice(0, 8);
