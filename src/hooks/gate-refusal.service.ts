import { Injectable } from '@nestjs/common';
import { type StoredSession, StoredSessions } from '../capture/gathering/stored-sessions.service.js';
import type { HookFacts } from '../capture/hook-events/hook-event.js';
import type { PredicateCall } from '../evidence/predicate/predicate-call.js';
import { type RecordedCall, reportedCalls } from '../evolve/evidence/recorded-execution.js';
import { FifoCache } from '../platform/background/fifo-cache.js';
import { Yielder } from '../platform/background/yielder.js';
import { Ids } from '../platform/base/ids.js';
import { Deliveries } from '../skills/delivery/deliveries.service.js';
import { adviceText, type WaitingSession } from './failure-advice.service.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';
import { type GateSkill, LiveLessonCache } from './live-lessons.service.js';
import { holdsAt, type Place } from './place.js';

const MAX_SESSIONS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Refuses a call that has not run with the strongest skill that reviewers marked as a gate for it, once for each skill in
 * a session. The same call passes afterwards, also if another gate is about it: the reason says so.
 */
@Injectable()
export class GateRefusal {
  /** The gates whose call before was made, by row of the session's fragments. */
  private readonly prepared = new FifoCache<ReadonlySet<string>>(MAX_SESSIONS);

  constructor(
    private readonly live: LiveLessonCache,
    private readonly sessions: StoredSessions,
    private readonly deliveries: Deliveries,
    private readonly ids: Ids,
  ) {}

  async answer(session: WaitingSession, facts: HookFacts, place: Place): Promise<HookAnswer> {
    const { gates, armOf } = await this.live.get();
    const call = gates.length === 0 ? undefined : comingCallOf(facts);
    if (!call) return NOTHING;
    this.note(session.stored, gates, call);
    const { agent, id: sessionId, harness } = session;
    const about = gates.filter(
      ({ entry, gate }) =>
        holdsAt(entry.lesson.binding ?? {}, place) && armOf(entry, agent.id) !== undefined && gate.refuses(call),
    );
    const gate = await this.firstUnprepared(session.stored, about);
    const arm = gate && armOf(gate.entry, agent.id);
    if (!gate || !arm || session.isLate()) return NOTHING;
    const { id: memoryId, skillName, version } = gate.entry;
    const isNew = await this.deliveries.record(agent, {
      memoryId,
      skillName,
      version,
      sessionId,
      harness,
      arm,
      moment: 'refused',
      shape: skillName ?? '',
      ...(facts.tool ? { call: facts.tool } : {}),
    });
    if (!isNew || arm === 'withheld') return NOTHING;
    return { kind: 'refuse', reason: adviceText(gate.entry, this.ids.nonce(), 'refused') };
  }

  /**
   * The first of the gates whose call before the session did not make. Another process may have received that call, or
   * this one before a restart, so the stored events are read before a gate refuses.
   */
  private async firstUnprepared(session: StoredSession, about: readonly GateSkill[]): Promise<GateSkill | undefined> {
    const isPrepared = ({ entry }: GateSkill): boolean => (this.prepared.get(session.assembly) ?? NONE).has(entry.id);
    const first = about.find((gate) => !isPrepared(gate));
    if (!first?.gate.prior) return first;
    const yielder = new Yielder();
    for (const tool of await this.sessions.comingCalls(session)) {
      const made = comingCallOf({ event: 'PreToolUse', tool });
      if (made) this.note(session, about, made);
      await yielder.yieldIfDue();
    }
    return about.find((gate) => !isPrepared(gate));
  }

  /** Remembers the gates for which this is the call before. */
  private note({ assembly }: StoredSession, gates: readonly GateSkill[], call: PredicateCall): void {
    const made = gates.flatMap(({ entry, gate }) => (gate.prior?.(call) ? [entry.id] : []));
    if (made.length > 0) this.prepared.set(assembly, new Set([...(this.prepared.get(assembly) ?? NONE), ...made]));
  }
}

/** The call of an event that comes before it, as predicates see it. Undefined for every other event. */
function comingCallOf({ event, tool }: Pick<HookFacts, 'event' | 'tool'>): RecordedCall | undefined {
  if (event !== 'PreToolUse' || tool === undefined) return undefined;
  // A gate asks nothing about the result, which a report needs.
  const [call] = reportedCalls({ toolCalls: [{ ...tool, ok: true }] });
  return call;
}
