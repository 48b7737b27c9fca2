import { Injectable } from '@nestjs/common';
import type { StoredSession } from '../capture/gathering/stored-sessions.service.js';
import type { AgentActor } from '../journal/actor.js';
import { MemoryReadService } from '../memory/store/memory-read.service.js';
import { Ids } from '../platform/base/ids.js';
import { shapeOf } from '../recall/search/same-failure.js';
import { Deliveries } from '../skills/delivery/deliveries.service.js';
import { type AdvisedLesson, adviceText } from './advice-text.js';
import type { FailedCall } from './failed-call.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';
import { LiveLessonCache } from './live-lessons.service.js';
import type { Place } from './place.js';

/** The session that waits for an answer, and whether the time for it has passed. */
export interface WaitingSession {
  readonly agent: AgentActor;
  /** The reference of the session. */
  readonly id: string;
  readonly stored: StoredSession;
  readonly harness: string;
  readonly isLate: () => boolean;
}

/** Own lessons that are compared with a failure. */
const MOST_OWN = 200;

/**
 * Answers a failed call with the lesson about it: the strongest live skill, otherwise the agent's own verified lesson,
 * once for each shape of error in a session. A person approved the skill, so that it answers before executions tested it,
 * with that label. Silent if there is none.
 */
@Injectable()
export class FailureAdvice {
  constructor(
    private readonly live: LiveLessonCache,
    private readonly memories: MemoryReadService,
    private readonly deliveries: Deliveries,
    private readonly ids: Ids,
  ) {}

  async answer(session: WaitingSession, { call, shape }: FailedCall, place: Place): Promise<HookAnswer> {
    const { advice, receives } = await this.live.get();
    const [skill] = advice.matching(call, place);
    if (skill) {
      // An agent of the control group receives nothing, also of weaker lessons: it is compared with those that do.
      const arm = receives(skill.entry, session.agent.id) ? 'delivered' : 'withheld';
      const isNew = await this.record(session, shape, { ...skill.entry, memoryId: skill.id }, arm);
      return isNew && arm === 'delivered' ? this.say({ ...skill.entry, isTested: skill.isTested }) : NOTHING;
    }
    const own = await this.ownLesson(session.agent.id, shape);
    if (!own) return NOTHING;
    const isNew = await this.record(session, shape, { ...own, memoryId: own.id }, 'delivered');
    return isNew ? this.say({ ...own, skillName: null }) : NOTHING;
  }

  private async ownLesson(agentId: string, shape: string) {
    const lessons = await this.memories.ownVerified(agentId, MOST_OWN);
    return lessons.find((one) => one.lesson.example?.worked && shapeOf(one) === shape);
  }

  private async record(
    { agent, id, harness, isLate }: WaitingSession,
    shape: string,
    { memoryId, skillName, version }: { memoryId: string; skillName: string | null; version: number | null },
    arm: 'delivered' | 'withheld',
  ): Promise<boolean> {
    if (isLate()) return false;
    const what = { memoryId, skillName, version, sessionId: id, harness, moment: 'failure' as const };
    return this.deliveries.record(agent, { ...what, shape, arm });
  }

  private say(lesson: AdvisedLesson): HookAnswer {
    return { kind: 'text', text: adviceText(lesson, this.ids.nonce()) };
  }
}
