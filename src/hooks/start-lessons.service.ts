import { Injectable } from '@nestjs/common';
import { isBound } from '../evidence/predicate/binding.js';
import { IdentifierReferences } from '../platform/database/identifier-references.service.js';
import { Deliveries } from '../skills/delivery/deliveries.service.js';
import { startText, type WaitingSession } from './failure-advice.service.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';
import { LiveLessonCache } from './live-lessons.service.js';
import { holdsAt, type Place } from './place.js';

/** The longest text at a start, in characters. */
const LONGEST = 2_000;

/**
 * What a session receives at its start: the skills bound to its harness and project, by name. The same skills give the
 * same text, byte for byte, so that prompt caches hold.
 */
@Injectable()
export class StartLessons {
  constructor(
    private readonly live: LiveLessonCache,
    private readonly deliveries: Deliveries,
    private readonly references: IdentifierReferences,
  ) {}

  async answer({ agent, id, harness, isLate }: WaitingSession, place: Place): Promise<HookAnswer> {
    const { skills, armOf } = await this.live.get();
    const entries = skills.filter(
      (skill) =>
        isBound(skill.lesson.binding) && holdsAt(skill.lesson.binding, place) && armOf(skill, agent.id) === 'delivered',
    );
    const text = startText(entries, this.nonceOf(entries), LONGEST);
    if (text === '' || isLate()) return NOTHING;
    for (const { id: memoryId, skillName, version } of entries)
      if (text.includes(`skill ${skillName} v${version},`))
        await this.deliveries.record(agent, {
          memoryId,
          skillName,
          version,
          sessionId: id,
          harness,
          moment: 'start',
          shape: '',
          arm: 'delivered',
        });
    return { kind: 'text', text };
  }

  /** Depends on the texts, and on a key that their authors do not know: stable, and not to be guessed. */
  private nonceOf(entries: readonly { readonly id: string }[]): string {
    return this.references.keyOf(JSON.stringify(['start', ...entries.map(({ id }) => id)]));
  }
}
