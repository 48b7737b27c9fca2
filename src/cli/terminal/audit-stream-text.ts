import type { AuditStream } from '../../webhooks/audit-streams.schema.js';

/** The state of a stream in a few words. */
export function auditStreamState({ failingSince, failures, lastStatus, lastAnswer, pending }: AuditStream): string {
  if (failingSince === null) return pending === 0 ? 'up to date' : 'on';
  const answer = [lastStatus, lastAnswer].filter((part) => part !== null && part !== '').join(' ');
  return `failing since ${failingSince} (${failures}): ${answer}`;
}
