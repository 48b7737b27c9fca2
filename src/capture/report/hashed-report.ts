import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import type { SanitisedReport } from './sanitised-report.js';

type Usable = Extract<SanitisedReport, { usable: true }>;

/** A sanitised report with the hash of its content, or the reasons why there is none. */
export type HashedReport = (Usable & { readonly reportSha256: string }) | Exclude<SanitisedReport, Usable>;

/** Adds the hash: made where the report is sanitised, because that of a large one takes tens of milliseconds. */
export function hashReport(sanitised: SanitisedReport): HashedReport {
  if (!sanitised.usable) return sanitised;
  return { ...sanitised, reportSha256: sha256(canonicalJson(sanitised.report)) };
}
