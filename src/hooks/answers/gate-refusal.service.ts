import { Injectable } from '@nestjs/common';
import type { HookFacts } from '../../capture/hook-events/hook-event.js';
import type { PredicateCall } from '../../evidence/predicate/predicate-call.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { Ids } from '../../platform/base/ids.js';
import { Deliveries } from '../../skills/delivery/deliveries.service.js';
import { adviceText } from '../advice/advice-text.js';
import { comingCallOf } from '../advice/coming-call.js';
import { holdsAt, type Place } from '../advice/place.js';
import { type HookAnswer, NOTHING } from '../dialects/hook-answer.js';
import type { WaitingSession } from './failure-advice.service.js';
import { type GateSkill, LiveLessonCache } from './live-lessons.service.js';

const MAX_SESSIONS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Refuses a call that has not run with the strongest skill that reviewers marked as a gate for it, once for each skill in
 * a session. The same call passes afterwards, also if another gate is about it: the reason says so.
 */
@Injectable()
export class GateRefusal {
  /** The gates by session whose call before was made. A process that starts later refuses once more than it has to. */
  private readonly prepared = new FifoCache<ReadonlySet<string>>(MAX_SESSIONS);

  constructor(
    private readonly live: LiveLessonCache,
    private readonly deliveries: Deliveries,
    private readonly ids: Ids,
  ) {}

  async answer({ agent, id, harness, isLate }: WaitingSession, facts: HookFacts, place: Place): Promise<HookAnswer> {
    const { gates, receives } = await this.live.get();
    const call = gates.length === 0 ? undefined : comingCallOf(facts);
    if (!call) return NOTHING;
    const prepared = this.preparedAfter(id, gates, call);
    const gate = gates.find(
      ({ entry, gate: { refuses } }) =>
        !prepared.has(entry.id) && holdsAt(entry.lesson.binding ?? {}, place) && refuses(call),
    );
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

  /** The gates of which the session made the call before, this call included. */
  private preparedAfter(session: string, gates: readonly GateSkill[], call: PredicateCall): ReadonlySet<string> {
    const made = gates.flatMap(({ entry, gate }) => (gate.prior?.(call) ? [entry.id] : []));
    const before = this.prepared.get(session) ?? NONE;
    if (made.length === 0) return before;
    const after = new Set([...before, ...made]);
    this.prepared.set(session, after);
    return after;
  }
}
