import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import type { ExecutionReport } from './execution-report.schema.js';

/**
 * Where a task came from: the hash of its normalised text together with the hashed sources that fed it (spec E1.3).
 * Executions of one origin count once, however many agents worked on it.
 */
export function originOf(report: Pick<ExecutionReport, 'taskTitle' | 'taskDescription' | 'sources'>): string {
  const text = `${report.taskTitle}\n${report.taskDescription ?? ''}`
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return sha256(canonicalJson({ text, sources: [...new Set(report.sources ?? [])].sort() }));
}
