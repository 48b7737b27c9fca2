import type { RetentionRun } from '../../retention/retention.schema.js';
import { formatCount } from './terminal.js';

/** What a run removed, in one sentence. */
export const retentionText = ({ reports, cited, deliveries, retrievals }: RetentionRun): string =>
  `${formatCount(reports, 'report')}, ${formatCount(deliveries, 'delivery', 'deliveries')}, ` +
  `${formatCount(retrievals, 'recall record')}; ${formatCount(cited, 'old report')} cited or not read yet`;
