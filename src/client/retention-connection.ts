import type { NewRetentionRun, RetentionRun, RetentionState } from '../retention/retention.schema.js';
import { AuditConnection } from './audit-connection.js';

/** The part of the API about how long reports and deliveries are kept. */
export class RetentionConnection extends AuditConnection {
  readonly retention = {
    state: () => this.call<RetentionState>('GET', '/v1/retention'),
    run: (run: Partial<NewRetentionRun> = {}) => this.call<RetentionRun>('POST', '/v1/retention/runs', run),
  };
}
