import type { AddedAuditStream, AuditStreamList, NewAuditStream } from '../audit/audit-streams.schema.js';
import { TuningConnection } from './tuning-connection.js';

const ROOT = '/v1/journal/streams';

/** The part of the API about where the journal is sent. */
export class AuditConnection extends TuningConnection {
  readonly auditStreams = {
    list: () => this.call<AuditStreamList>('GET', ROOT),
    add: (stream: Pick<NewAuditStream, 'url'> & Partial<NewAuditStream>) =>
      this.call<AddedAuditStream>('POST', ROOT, stream),
    remove: (id: string) => this.call<void>('DELETE', `${ROOT}/${encodeURIComponent(id)}`),
  };
}
