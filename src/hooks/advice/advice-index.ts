import { failureTest } from '../../evidence/predicate/compiled-predicate.js';
import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { PredicateCall } from '../../evidence/predicate/predicate-call.js';
import { compareText } from '../../platform/base/compare-text.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { Advisable } from './advisable.js';
import { holdsAt, type Place } from './place.js';

/** A lesson with its compiled condition. Compiling costs more than a search, so a copy that changes keeps these. */
export interface PreparedAdvice<T extends Advisable> {
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
