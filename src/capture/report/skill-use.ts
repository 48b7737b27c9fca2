import { MARKETPLACE_NAME, PLUGIN_NAME } from '../../skills/document/marketplace.js';
import { isSkillName } from '../../skills/document/slug.js';
import type { ExecutionReport } from './execution-report.schema.js';

/**
 * `offered`: the skill was in the agent's list. `loaded`: the agent read it. `applied`: the agent worked with it
 * afterwards.
 */
export type SkillEvent = 'offered' | 'loaded' | 'applied';

export interface SkillUse {
  /**
   * Name without the prefix of our plugin. Other skills of the machine can have such a name too; the reader knows which
   * ones this server publishes.
   */
  readonly skill: string;
  readonly event: SkillEvent;
  /**
   * Time of the first use in the record, ISO 8601; of the last one for `applied`, because a session can begin with the
   * records of another one.
   */
  readonly at: string;
}

/** The skill uses of one finished execution; each skill and event once. */
export interface ExecutionSkillUses {
  readonly executionId: string;
  readonly outcome: SkillOutcome;
  readonly uses: readonly SkillUse[];
}

export type SkillOutcome = 'success' | 'failure' | 'unknown';

/**
 * Maximum per event. No fleet offers an agent more skills, so a file with more is not credible. The limit is per event,
 * so that offers cannot crowd out loads.
 */
const MAX_PER_EVENT = 500;
/** A plugin's skills are listed as `plugin:skill`. */
const OUR_PLUGINS: ReadonlySet<string> = new Set([PLUGIN_NAME, MARKETPLACE_NAME]);

/** The skill that a name in a transcript means; undefined for an invalid name and for a skill of another plugin. */
export function skillOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const colon = name.indexOf(':');
  if (colon >= 0 && !OUR_PLUGINS.has(name.slice(0, colon))) return undefined;
  const skill = name.slice(colon + 1);
  return isSkillName(skill) ? skill : undefined;
}

/** Collects the uses of one session. */
export class SkillUseTally {
  readonly #events: Record<SkillEvent, Map<string, string>> = {
    offered: new Map(),
    loaded: new Map(),
    applied: new Map(),
  };

  /** `name`: any value that the transcript has in the field for a skill's name. */
  add(name: unknown, event: SkillEvent, at: string): void {
    const skill = skillOf(name);
    const times = this.#events[event];
    if (skill === undefined) return;
    if (times.has(skill) ? event === 'applied' : times.size < MAX_PER_EVENT) times.set(skill, at);
  }

  list(): SkillUse[] {
    const events = ['offered', 'loaded', 'applied'] as const;
    return events.flatMap((event) => [...this.#events[event]].map(([skill, at]) => ({ skill, event, at })));
  }

  /** The uses of the execution that this report is about; empty without a use. */
  of(report: ExecutionReport): ExecutionSkillUses[] {
    const uses = this.list();
    return uses.length === 0 ? [] : [{ executionId: report.executionId, outcome: outcomeForSkills(report), uses }];
  }
}

/** The outcome of an execution for its skills. A normal end or the agent's own claim of success proves nothing. */
export function outcomeForSkills({ status, verification }: ExecutionReport): SkillOutcome {
  if (verification.outcome === 'succeeded' && verification.source !== 'self') return 'success';
  return verification.outcome === 'failed' || status === 'failed' ? 'failure' : 'unknown';
}
