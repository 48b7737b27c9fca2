import { isSkillName } from '../../skills/document/slug.js';
import { MARKETPLACE_NAME, PLUGIN_NAME } from '../../skills/git/marketplace.js';
import type { ExecutionReport } from './execution-report.schema.js';

/** Offered: the agent was told that it exists. Loaded: it read it. Applied: it went on to work by it. */
export type SkillEvent = 'offered' | 'loaded' | 'applied';

export interface SkillUse {
  /** Without the prefix of our plugin. Other skills of the machine have such names, too: the reader knows which are ours. */
  readonly skill: string;
  readonly event: SkillEvent;
  /** The first time, as in the record: ISO 8601. */
  readonly at: string;
}

/** What one finished execution did with skills; each skill and event once. */
export interface ExecutionSkillUses {
  readonly executionId: string;
  readonly outcome: SkillOutcome;
  readonly uses: readonly SkillUse[];
}

export type SkillOutcome = 'success' | 'failure' | 'unknown';

/** No fleet offers an agent more at once; a file that says so is not one to believe. Per event, so that offers crowd out nothing. */
const MAX_PER_EVENT = 500;
/** A plugin's skills are listed as `plugin:skill`. */
const OUR_PLUGINS: ReadonlySet<string> = new Set([PLUGIN_NAME, MARKETPLACE_NAME]);

/** The skill of a name in a transcript; undefined for no name, and for a skill of somebody else's plugin. */
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

  /** `name` is whatever stands where the transcript has one. */
  add(name: unknown, event: SkillEvent, at: string): void {
    const skill = skillOf(name);
    const times = this.#events[event];
    if (skill !== undefined && !times.has(skill) && times.size < MAX_PER_EVENT) times.set(skill, at);
  }

  list(): SkillUse[] {
    const events = ['offered', 'loaded', 'applied'] as const;
    return events.flatMap((event) => [...this.#events[event]].map(([skill, at]) => ({ skill, event, at })));
  }
}

/** How the execution ended, for the skills in it. That it ended normally, or says itself that it did well, proves nothing. */
export function outcomeForSkills({ status, verification }: ExecutionReport): SkillOutcome {
  if (verification.outcome === 'succeeded' && verification.source !== 'self') return 'success';
  return verification.outcome === 'failed' || status === 'failed' ? 'failure' : 'unknown';
}
