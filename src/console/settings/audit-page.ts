import type { AuditStream } from '../../audit/audit-streams.schema.js';
import { counted } from '../frame/quantity.js';
import { moment } from '../frame/times.js';

/** An audit stream as a row of the settings. A file has no button: a setting names it. */
export function auditStreamRow(stream: AuditStream, now: Date) {
  const { id, kind, target, acknowledged, pending, acknowledgedAt, failures, failingSince } = stream;
  const answer = [stream.lastStatus, stream.lastAnswer].filter((part) => part !== null && part !== '').join(' ');
  return {
    id,
    target,
    acknowledged,
    pending,
    isFile: kind === 'file',
    last: acknowledgedAt === null ? null : moment(acknowledgedAt, now),
    failing:
      failingSince === null
        ? null
        : `Failing since ${moment(failingSince, now).says}, ${counted(failures, 'attempt')}: ${answer}`,
  };
}
