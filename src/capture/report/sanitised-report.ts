import type { z } from 'zod';
import type { TimeBudget } from '../../platform/background/time-budget.js';
import { optional, present } from '../../platform/base/optional.js';
import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { clip } from '../../untrusted/text/clip.js';
import { type Redaction, toRedactions } from '../../untrusted/text/redaction.js';
import { EXECUTION_END } from '../errors/text-source.js';
import { ExecutionReport, REPORT_LIMITS } from './execution-report.schema.js';
import { callWithinBounds, storedCall, storedError } from './stored-call.js';
import { storedEnvironment } from './stored-environment.js';

export type SanitisedReport =
  | { readonly usable: true; readonly report: Sanitized<ExecutionReport>; readonly findings: readonly Redaction[] }
  /** A field is empty or an id is too long after redaction. The report is refused with these issues. */
  | { readonly usable: false; readonly issues: readonly z.core.$ZodIssue[] };

/** A cut can create text that the next pass redacts. A report that needs more rounds is an attack on the rules. */
const ROUNDS = 3;

/**
 * Redacts a report and keeps it within the limits of its schema. Normalising and markers can make a text longer (one
 * Arabic ligature becomes eighteen letters) or empty, and a stored report that its own schema rejects could never be
 * read again. Free text is cut to its limit; ids are not, because two could become equal. When the budget is spent, the
 * texts of the remaining tool calls are withheld.
 */
export function sanitiseReport(raw: ExecutionReport, budget?: TimeBudget): SanitisedReport {
  const first = redactReport(raw, budget);
  const stored = storedReport(first.report);
  let report = stored === undefined ? first.report : redactReport(stored, budget).report;
  for (let round = 1; ; round += 1) {
    const parsed = ExecutionReport.safeParse(report);
    if (parsed.success) return { usable: true, report, findings: first.findings };
    if (round === ROUNDS) return { usable: false, issues: parsed.error.issues };
    const cut = withinBounds(report);
    ({ report } = redactReport(storedReport(cut) ?? cut, budget));
  }
}

/**
 * The budget applies to the tool calls only. The other fields are small, and withheld ids, names and hashes
 * would all be equal.
 */
function redactReport({ toolCalls, ...rest }: ExecutionReport, budget?: TimeBudget) {
  const head = redactDeep(rest);
  const calls = redactDeep(toolCalls, budget);
  const report: Sanitized<ExecutionReport> = { ...head.value, toolCalls: calls.value };
  return { report, findings: sumRedactions(head.redactions, calls.redactions) };
}

/** The redacted report with what may be stored of its errors, arguments and environment; undefined if that is all of it. */
function storedReport(report: ExecutionReport): ExecutionReport | undefined {
  const { errorMessage, environment, ...rest } = report;
  const toolCalls = report.toolCalls.map(storedCall);
  const message = storedError(errorMessage, EXECUTION_END);
  const where = environment === undefined ? undefined : storedEnvironment(environment);
  const isSame =
    message === errorMessage &&
    JSON.stringify(where) === JSON.stringify(environment) &&
    toolCalls.every((call, n) => call === report.toolCalls[n]);
  if (isSame) return undefined;
  return {
    ...rest,
    toolCalls,
    ...optional('errorMessage', message),
    ...optional('environment', where),
  };
}

function withinBounds(report: ExecutionReport): ExecutionReport {
  const { title, description, category, errorMessage, id, tag } = REPORT_LIMITS;
  return {
    ...report,
    taskTitle: clip(report.taskTitle, title),
    terminationReason: clip(report.terminationReason, id),
    toolCalls: report.toolCalls.map(callWithinBounds),
    verification: checksWithinBounds(report.verification),
    ...present({
      taskDescription: cut(report.taskDescription, description),
      taskType: cut(report.taskType, category),
      model: cut(report.model, category),
      errorCategory: cut(report.errorCategory, category),
      errorMessage: cut(report.errorMessage, errorMessage),
      missingCapability: cut(report.missingCapability, id),
      tags: report.tags?.map((text) => clip(text, tag)),
    }),
  };
}

const cut = (text: string | undefined, max: number): string | undefined =>
  text === undefined ? undefined : clip(text, max);

function checksWithinBounds({ checks, ...rest }: ExecutionReport['verification']): ExecutionReport['verification'] {
  if (checks === undefined) return rest;
  return { ...rest, checks: checks.map(({ name, ok }) => ({ name: clip(name, REPORT_LIMITS.check), ok })) };
}

/** Adds up the redactions of several texts by rule. */
export function sumRedactions(...lists: readonly (readonly Redaction[])[]): Redaction[] {
  const counts = new Map<string, number>();
  for (const { rule, count } of lists.flat()) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return toRedactions(counts);
}
