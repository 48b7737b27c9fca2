import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import type { ExecutionReport } from './execution-report.schema.js';

/**
 * Identifies where a task came from: the hash of its normalised text and its hashed sources. Executions of one origin
 * count once, however many agents worked on it, because they are not independent evidence.
 */
export function originOf(report: Pick<ExecutionReport, 'taskTitle' | 'taskDescription' | 'sources'>): string {
  const text = `${report.taskTitle}\n${report.taskDescription ?? ''}`
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return sha256(canonicalJson({ text, sources: [...new Set(report.sources ?? [])].sort() }));
}
