import { Injectable } from '@nestjs/common';
import type { HookFacts } from '../../capture/hook-events/hook-event.js';
import { Ids } from '../../platform/base/ids.js';
import { Deliveries } from '../../skills/delivery/deliveries.service.js';
import { adviceText } from '../advice/advice-text.js';
import { comingCallOf } from '../advice/coming-call.js';
import { holdsAt, type Place } from '../advice/place.js';
import { type HookAnswer, NOTHING } from '../dialects/hook-answer.js';
import type { WaitingSession } from './failure-advice.service.js';
import { LiveLessonCache } from './live-lessons.service.js';

/**
 * Refuses a call that has not run with the strongest skill that reviewers marked as a gate for it, once for each skill in
 * a session. The same call passes afterwards, also if another gate is about it: the reason says so.
 */
@Injectable()
export class GateRefusal {
  constructor(
    private readonly live: LiveLessonCache,
    private readonly deliveries: Deliveries,
    private readonly ids: Ids,
  ) {}

  async answer({ agent, id, harness, isLate }: WaitingSession, facts: HookFacts, place: Place): Promise<HookAnswer> {
    const { gates, receives } = await this.live.get();
    const call = gates.length === 0 ? undefined : comingCallOf(facts);
    const gate =
      call && gates.find(({ entry, refuses }) => holdsAt(entry.lesson.binding ?? {}, place) && refuses(call));
    if (!gate || isLate()) return NOTHING;
    const { id: memoryId, skillName, version } = gate.entry;
    const arm = receives(gate.entry, agent.id) ? 'delivered' : 'withheld';
    const isNew = await this.deliveries.record(agent, {
      ...{ memoryId, skillName, version, sessionId: id, harness, arm },
      ...{ moment: 'refused', shape: skillName ?? '' },
      ...(facts.tool ? { call: facts.tool } : {}),
    });
    if (!isNew || arm === 'withheld') return NOTHING;
    return { kind: 'refuse', reason: adviceText(gate.entry, this.ids.nonce(), 'refused') };
  }
}
