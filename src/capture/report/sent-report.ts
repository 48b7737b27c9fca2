import { sha256 } from '../../platform/base/canonical-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import type { ExecutionReport } from './execution-report.schema.js';
import { REPORT_IDENTIFIERS } from './report-identifiers.js';
import { type SanitisedReport, sanitiseReport } from './sanitised-report.js';

/** Ids of sessions and messages of OpenCode: a time and a random part, in which a rule for secrets sees a token. */
const PRODUCT_ID = /^(?:ses|msg)_[0-9a-f]{12}[0-9A-Za-z]{14}$/;

export type SentReport =
  | { readonly usable: true; readonly report: ExecutionReport }
  | Extract<SanitisedReport, { usable: false }>;

/**
 * A report as it leaves the machine: redacted, but for its ids, because two ids with one marker would be the same. The
 * server stores a reference of each.
 */
export function reportToSend(raw: ExecutionReport): SentReport {
  const sanitised = sanitiseReport(raw);
  if (!sanitised.usable) return sanitised;
  const ids = REPORT_IDENTIFIERS.flatMap((field) => {
    const id = raw[field];
    return typeof id === 'string' ? [[field, identifierToSend(id)] as const] : [];
  });
  return { usable: true, report: { ...sanitised.report, ...Object.fromEntries(ids) } };
}

/** The id, with a hash in the place of each part in which redaction finds a secret. */
export const identifierToSend = (id: string): string =>
  id
    .split(':')
    .map((part) => (PRODUCT_ID.test(part) || redact(part).text === part ? part : `id-${sha256(part).slice(0, 32)}`))
    .join(':');
