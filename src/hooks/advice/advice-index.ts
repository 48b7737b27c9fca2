import { compileMatchers } from '../../evidence/predicate/compiled-predicate.js';
import type { Matcher, Matchers } from '../../evidence/predicate/predicate.schema.js';
import type { PredicateCall } from '../../evidence/predicate/predicate-call.js';
import { compareText } from '../../platform/base/compare-text.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { Advisable } from './advisable.js';
import { holdsAt, type Place } from './place.js';

interface Entry<T> {
  readonly advisable: T;
  readonly matches: (call: PredicateCall) => boolean;
}

/** Lessons by what they say about a failed call. A lesson about no failed call is not in it. */
export class AdviceIndex<T extends Advisable> {
  /** By the tool that a lesson names; those that name none, or a pattern, are under the empty name. */
  private readonly entries = new Map<string, Entry<T>[]>();

  constructor(advisables: readonly T[]) {
    for (const advisable of advisables) {
      const condition = advisable.predicate.when ?? advisable.predicate.covers;
      if (condition === undefined) continue;
      const entry = { advisable, matches: compileMatchers(condition) };
      for (const tool of toolsOf(condition)) this.entries.set(tool, [...(this.entries.get(tool) ?? []), entry]);
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
function toolsOf(condition: Matchers): ReadonlySet<string> {
  const matchers = Array.isArray(condition) ? (condition as readonly Matcher[]) : [condition as Matcher];
  const tools = new Set<string>();
  for (const { tool } of matchers) {
    if (tool === undefined || !PLAIN_NAMES.test(tool)) return new Set([ANY]);
    for (const name of tool.toLowerCase().split('|')) tools.add(isShellTool(name) ? 'shell' : name);
  }
  return tools;
}
