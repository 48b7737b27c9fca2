import { secretsInIdentifier } from '../../untrusted/redaction/secrets-in-identifier.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import type { ExecutionReport } from './execution-report.schema.js';

const REQUIRED = ['executionId', 'taskId'] as const;
const OPTIONAL = ['sessionId', 'parentExecutionId'] as const;

/** The fields of a report that hold identifiers of the sender. They are stored as references. */
export const REPORT_IDENTIFIERS: readonly (keyof ExecutionReport)[] = [...REQUIRED, ...OPTIONAL];

/** Returns the report with the references of the identifiers of `source`, by default its own. */
export function withReferences<T extends ExecutionReport>(
  report: T,
  reference: (identifier: string) => string,
  source: ExecutionReport = report,
): T {
  const references = [...REQUIRED, ...OPTIONAL].flatMap((field) => {
    const identifier = source[field];
    return identifier === undefined ? [] : [[field, reference(identifier)] as const];
  });
  // The same fields with other text. A redacted report stays redacted: a reference holds no text of the identifier.
  return { ...report, ...Object.fromEntries(references) } as T;
}

/** Returns the known kinds of secrets in a report's identifiers, for its findings. */
export function secretsInIdentifiers(report: ExecutionReport): Redaction[] {
  return REPORT_IDENTIFIERS.flatMap((field) => secretsInIdentifier(String(report[field] ?? '')));
}
