import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { secretsInIdentifier } from '../../untrusted/redaction/secrets-in-identifier.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import type { ExecutionReport } from './execution-report.schema.js';
import type { SanitisedReport } from './sanitised-report.js';

const REQUIRED = ['executionId', 'taskId'] as const;
const OPTIONAL = ['sessionId', 'parentExecutionId'] as const;

/** The fields of a report that hold identifiers of the sender. They are stored as references. */
export const REPORT_IDENTIFIERS: readonly (keyof ExecutionReport)[] = [...REQUIRED, ...OPTIONAL];

/** The identifiers of a report as they are stored. */
export type ReportReferences = Partial<Pick<ExecutionReport, (typeof REQUIRED | typeof OPTIONAL)[number]>>;

/** Returns the references of a report's identifiers. */
export function referencesOf(report: ExecutionReport, reference: (identifier: string) => string): ReportReferences {
  return Object.fromEntries(
    [...REQUIRED, ...OPTIONAL].flatMap((field) => {
      const identifier = report[field];
      return identifier === undefined ? [] : [[field, reference(identifier)] as const];
    }),
  );
}

/** Returns the known kinds of secrets in a report's identifiers, for its findings. */
export function secretsInIdentifiers(report: ExecutionReport): Redaction[] {
  return REPORT_IDENTIFIERS.flatMap((field) => secretsInIdentifier(String(report[field] ?? '')));
}

type Usable = Extract<SanitisedReport, { usable: true }>;

/** A sanitised report with the hash of its content, or the reasons why there is none. */
export type HashedReport = (Usable & { readonly reportSha256: string }) | Exclude<SanitisedReport, Usable>;

/**
 * Puts the references in the place of the identifiers, and adds the hash: made where the report is sanitised, because
 * that of a large one takes tens of milliseconds. No rule for secrets may change a reference: two executions would become
 * one.
 */
export function hashReport(sanitised: SanitisedReport, references: ReportReferences = {}): HashedReport {
  if (!sanitised.usable) return sanitised;
  // The same fields with other text. A redacted report stays redacted: a reference holds no text of the identifier.
  const report = { ...sanitised.report, ...references } as Sanitized<ExecutionReport>;
  // Without the keys of its calls, which earlier versions did not send: the same session stays the same report.
  return { ...sanitised, report, reportSha256: sha256(canonicalJson({ ...report, callKeys: undefined })) };
}
