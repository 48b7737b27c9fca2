import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ProposalQueue } from '../approvals/queue/proposal-queue.service.js';
import { type CallGate, callGateOf } from '../evidence/predicate/call-gate.js';
import { type Binding, type Check, pairOf, type Verdict } from '../evidence/predicate/check.schema.js';
import { failureTest } from '../evidence/predicate/compiled-predicate.js';
import type { Matcher, Predicate } from '../evidence/predicate/predicate.schema.js';
import type { PredicateCall } from '../evidence/predicate/predicate-call.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { MemoryReadService } from '../memory/store/memory-read.service.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import type { MemoryCursor } from '../memory/store/recallable-memory.js';
import { FreshCache } from '../platform/background/fresh-cache.js';
import { Clock } from '../platform/base/clock.js';
import { compareText } from '../platform/base/compare-text.js';
import { armOf, type DeliveryLimit } from '../skills/delivery/audience.js';
import { LiveChecks } from '../skills/delivery/live-checks.service.js';
import { RolloutStages } from '../skills/delivery/rollout-stages.service.js';
import { isShellTool } from '../untrusted/shell/shell-tool.js';
import { holdsAt, type Place } from './place.js';

/** A live skill, as far as its delivery needs it. */
type LiveSkill = Pick<MemoryEntry, 'id' | 'lesson' | 'skillName' | 'version' | 'proposalId'> & {
  /** What executions say about it now; missing if it has no check. */
  readonly verdict?: Verdict;
};

/** A skill that can answer a failed call. */
interface AdvisableSkill extends Advisable {
  readonly entry: LiveSkill;
}

/** A skill that reviewers marked as a gate. */
export interface GateSkill {
  readonly entry: LiveSkill;
  readonly strength: number;
  readonly gate: CallGate;
}

interface LiveLessons {
  /** By name. */
  readonly skills: readonly LiveSkill[];
  readonly advice: AdviceIndex<AdvisableSkill>;
  /** The strongest first. */
  readonly gates: readonly GateSkill[];
  /** Whether the agent receives the skill or is in its control group; undefined if the skill is for other owners' agents. */
  armOf(skill: LiveSkill, agentId: string): ReturnType<typeof armOf>;
}

interface PreparedSkill {
  readonly entry: LiveSkill;
  readonly advice: PreparedAdvice<AdvisableSkill> | undefined;
  readonly gate: GateSkill | undefined;
}

/** A decision of any process has an effect within this time. */
const MAX_STALENESS_MS = 1_000;
/** The strength of a gate that nothing was counted for. */
const WEAKEST = -1;

/**
 * The live skills in memory, with the conditions under which they answer a failure, kept in step with the commits of all
 * processes, and with what later executions say about them.
 */
@Injectable()
export class LiveLessonCache implements OnApplicationBootstrap {
  private readonly fresh: FreshCache<LiveLessons>;
  private readonly skills = new Map<string, PreparedSkill>();
  private lessons: LiveLessons | undefined;
  private cursor: MemoryCursor | undefined;

  constructor(
    clock: Clock,
    private readonly org: OrgEntries,
    private readonly reading: MemoryReadService,
    private readonly queue: ProposalQueue,
    private readonly rollouts: RolloutStages,
    private readonly checks: LiveChecks,
  ) {
    this.fresh = new FreshCache(
      // Not stale at each transaction of this process: every event is one, and few of them change a skill.
      () => ({ at: clock.now().getTime(), endedTransactions: 0 }),
      MAX_STALENESS_MS,
      () => this.read(),
    );
  }

  /** Read before the first event, which must not wait for it. */
  async onApplicationBootstrap(): Promise<void> {
    await this.get();
  }

  get(): Promise<LiveLessons> {
    return this.fresh.get();
  }

  private async read(): Promise<LiveLessons> {
    const limits = await this.rollouts.limits();
    const isChanged = await this.catchUp();
    const arms = armsOf(limits);
    this.lessons = isChanged || !this.lessons ? this.assemble(arms) : { ...this.lessons, armOf: arms };
    return this.lessons;
  }

  /** Reads the skills that changed. Returns whether any did. */
  private async catchUp(): Promise<boolean> {
    const isFirst = this.cursor === undefined;
    const { cursor, changes } =
      this.cursor === undefined
        ? { cursor: await this.reading.cursor(), changes: [] }
        : await this.reading.changes(this.cursor);
    const changed = changes.flatMap(({ id, group }) => (group === 'org' ? [id] : []));
    const live = isFirst ? await this.org.live() : await this.reading.live(changed, 'org');
    const ended = changes.filter(({ id }) => this.skills.delete(id));
    for (const skill of await this.prepare(live)) this.skills.set(skill.entry.id, skill);
    this.cursor = cursor;
    return live.length + ended.length > 0;
  }

  private async prepare(entries: readonly LiveSkill[]): Promise<PreparedSkill[]> {
    const checks = await this.checks.of(entries.map(({ id }) => id));
    const claims = await this.queue.predicates(entries.flatMap(({ proposalId }) => proposalId ?? []));
    return entries.map((live) => {
      const check = checks.get(live.id);
      const entry = { ...live, ...(check ? { verdict: check.verdict } : {}) };
      const claim = claims.get(entry.proposalId ?? '');
      if (!claim) return { entry, advice: undefined, gate: undefined };
      const { predicate, isGate } = claim;
      const strength = check ? strengthOf(check) : WEAKEST;
      const gate = isGate ? callGateOf(predicate) : undefined;
      const { id, lesson } = entry;
      return {
        entry,
        advice: check && prepareAdvice({ id, entry, predicate, binding: lesson.binding, strength }),
        gate: gate && { entry, strength, gate },
      };
    });
  }

  private assemble(arms: LiveLessons['armOf']): LiveLessons {
    const skills = [...this.skills.values()];
    return {
      skills: skills.map(({ entry }) => entry).sort((a, b) => compareText(a.skillName ?? '', b.skillName ?? '')),
      advice: new AdviceIndex(skills.flatMap(({ advice }) => advice ?? [])),
      gates: skills
        .flatMap(({ gate }) => gate ?? [])
        .sort((a, b) => b.strength - a.strength || compareText(a.entry.id, b.entry.id)),
      armOf: arms,
    };
  }
}

const armsOf =
  (limits: ReadonlyMap<string, DeliveryLimit>): LiveLessons['armOf'] =>
  ({ id, skillName }, agentId) =>
    armOf(limits.get(id), skillName ?? '', agentId);

/** A lesson with its compiled condition. Compiling costs more than a search, so a copy that changes keeps these. */
interface PreparedAdvice<T extends Advisable> {
  readonly advisable: T;
  readonly tools: ReadonlySet<string>;
  readonly matches: (call: PredicateCall) => boolean;
}

/** Undefined for a lesson about no failed call. */
export function prepareAdvice<T extends Advisable>(advisable: T): PreparedAdvice<T> | undefined {
  const matches = failureTest(advisable.predicate);
  return matches && { advisable, tools: toolsOf(advisable.predicate), matches };
}

/** Lessons by what they say about a failed call. */
export class AdviceIndex<T extends Advisable> {
  /** By the tool that a lesson names; those that name none, or a pattern, are under the empty name. */
  private readonly entries = new Map<string, PreparedAdvice<T>[]>();

  constructor(prepared: readonly PreparedAdvice<T>[]) {
    for (const one of prepared)
      for (const tool of one.tools) {
        const known = this.entries.get(tool);
        if (known) known.push(one);
        else this.entries.set(tool, [one]);
      }
  }

  /** The lessons about this failed call that hold at the place, the strongest first. */
  matching(call: PredicateCall, place: Place): T[] {
    if (call.ok !== false) return [];
    return [...(this.entries.get(call.tool) ?? []), ...(this.entries.get(ANY) ?? [])]
      .filter(({ advisable, matches }) => holdsAt(advisable.binding ?? {}, place) && matches(call))
      .map(({ advisable }) => advisable)
      .sort((a, b) => b.strength - a.strength || compareText(a.id, b.id));
  }
}

const ANY = '';
const PLAIN_NAMES = /^[\w-]{1,200}(?:\|[\w-]{1,200}){0,20}$/;

/** The tools that a condition can match: names, or {@link ANY}. */
function toolsOf({ learned, when, covers }: Predicate): ReadonlySet<string> {
  if (learned) return new Set(learned.conditions.map(({ tool }) => tool));
  const condition = when ?? covers ?? {};
  const matchers = Array.isArray(condition) ? (condition as readonly Matcher[]) : [condition as Matcher];
  const tools = new Set<string>();
  for (const { tool } of matchers) {
    if (tool === undefined || !PLAIN_NAMES.test(tool)) return new Set([ANY]);
    for (const name of tool.toLowerCase().split('|')) tools.add(isShellTool(name) ? 'shell' : name);
  }
  return tools;
}

/** A live skill, or a verified lesson of the agent, that can answer a failed call. */
export interface Advisable {
  /** Id of the memory. */
  readonly id: string;
  readonly predicate: Predicate;
  readonly binding?: Binding | undefined;
  /** Orders those that match one call: the lower end of the difference that was counted, between -1 and 1. */
  readonly strength: number;
}

/** What was counted for a lesson says how strongly it is advised; without a comparison the weakest. */
export function strengthOf(check: Check): number {
  if (check.verdict === 'refuted') return WEAKEST;
  const deciding = check.comparisons.find(({ kind }) => kind === check.by);
  if (deciding?.difference) return deciding.difference.low;
  const { with: tried } = pairOf(check);
  return tried.n === 0 ? WEAKEST : 0;
}
