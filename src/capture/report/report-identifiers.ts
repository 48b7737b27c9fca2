import { secretsInIdentifier } from '../../untrusted/identifiers/secrets-in-identifier.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import type { ExecutionReport } from './execution-report.schema.js';

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
