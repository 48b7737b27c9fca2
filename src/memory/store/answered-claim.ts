import type { Actor } from '../../journal/actor.js';
import type { AttributedRecord } from '../../journal/journal.service.js';

/** A claim that nothing overcame a failure, and the live memory that does. */
export interface AnsweredClaim {
  readonly id: string;
  readonly by: string;
}

/** Most memories that one journal entry names. */
const CHUNK = 500;

/** The journal entries of claims that have ended: each names what answers them. */
export function answeredRecords(actor: Actor, answered: readonly AnsweredClaim[]): AttributedRecord[] {
  return [...new Set(answered.map(({ by }) => by))].flatMap((answer) => {
    const lessons = answered.filter(({ by }) => by === answer).map(({ id }) => id);
    return Array.from({ length: Math.ceil(lessons.length / CHUNK) }, (_, n) => ({
      actor,
      action: 'memory.claims_answered',
      subject: { type: 'memory', id: answer },
      data: { lessons: lessons.slice(n * CHUNK, (n + 1) * CHUNK), reason: 'it overcomes their failure' },
    }));
  });
}
