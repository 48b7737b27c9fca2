import { clusterTemplates } from '../../capture/errors/template-clusters.js';
import { compareText } from '../../platform/base/compare-text.js';
import { countsOf, sharedCount } from '../../platform/base/sum.js';
import { type FailureIdentity, type FamilyCause, familyCause, wordsOf } from './family-message.js';

/** Failures of one tool, action, class and template. */
export interface FailureGroup extends FailureIdentity {
  readonly failures: number;
}

/** Groups that are one family, the most frequent first. */
export interface FamilyCluster<G extends FailureGroup> {
  /** Identifies the family as long as its most frequent message is the same. */
  readonly key: string;
  readonly groups: readonly [G, ...G[]];
}

/**
 * Two messages are one problem if they share this much of their words (Jaccard). In a short message one word changes
 * what it says, so that messages with few words in all need more. Reports may invent any number of messages: only so
 * many, the most frequent ones, are merged, and each is compared with few leaders.
 */
export const FAMILY_CLUSTER_SETTINGS = {
  overlap: 0.6,
  shortOverlap: 0.8,
  shortWords: 5,
  messages: 10_000,
  leadersPerWord: 20,
  compared: 60,
} as const;

/** Groups with one cause, or one message. */
interface Problem<G> {
  readonly key: string;
  readonly groups: G[];
  failures: number;
}

interface Message<G> extends Problem<G> {
  readonly message: string;
}

/**
 * Failures that are one problem. Failures with one cause are one family; messages are merged with the most frequent one
 * that has the same words. `alwaysFail`: tools of which nearly every call fails, whatever they say. The result does not
 * depend on the order of the groups. The work grows with the number of groups, not with its square.
 */
export function clusterFailures<G extends FailureGroup>(
  groups: readonly G[],
  alwaysFail: ReadonlySet<string> = new Set(),
): FamilyCluster<G>[] {
  const causes = new Map<string, Problem<G>>();
  const messages = new Map<string, Message<G>>();
  for (const group of groups) {
    const cause: FamilyCause = alwaysFail.has(group.tool)
      ? { by: 'cause', cause: JSON.stringify(['tool', group.tool]) }
      : familyCause(group);
    const problem = cause.by === 'cause' ? problemIn(causes, cause.cause) : messageIn(messages, cause.message);
    problem.groups.push(group);
    problem.failures += group.failures;
  }
  const ranked = [...messages.values()].sort(byFailures);
  const merged = mergeByWords(mergeByShape(ranked.slice(0, FAMILY_CLUSTER_SETTINGS.messages)).sort(byFailures));
  const rare = ranked.slice(FAMILY_CLUSTER_SETTINGS.messages);
  const clusters: FamilyCluster<G>[] = [];
  for (const { key, groups: own } of [...causes.values(), ...merged, ...rare].sort(byFailures)) {
    const [first, ...more] = own.sort(byFrequency);
    if (first === undefined) continue;
    clusters.push({ key, groups: [first, ...more] });
  }
  return clusters;
}

/** Merges messages that differ only in values that their templates still have. */
function mergeByShape<G>(messages: readonly Message<G>[]): Message<G>[] {
  const leaderOf = clusterTemplates(messages.map(({ message, failures }) => ({ template: message, weight: failures })));
  const byMessage = new Map(messages.map((one) => [one.message, one]));
  const merged: Message<G>[] = [];
  for (const one of messages) {
    const leader = byMessage.get(leaderOf.get(one.message) ?? '') ?? one;
    if (leader === one) merged.push(one);
    else join(leader, one);
  }
  return merged;
}

/** Each message joins the most frequent one before it with similar words, or leads a family. */
function mergeByWords<G>(messages: readonly Message<G>[]): Message<G>[] {
  const wordsOfAll = new Map(messages.map((one) => [one, wordsOf(one.message)]));
  const frequency = countsOf([...wordsOfAll.values()].flatMap((words) => [...words]));
  const leadersOf = new Map<string, Message<G>[]>();
  const families: Message<G>[] = [];
  const placeOf = new Map<Message<G>, number>();
  for (const message of messages) {
    const words = wordsOfAll.get(message) ?? new Set();
    const rarest = rarestWords(words, frequency);
    const near = new Set(rarest.flatMap((word) => leadersOf.get(word) ?? []));
    const leader = [...near]
      .slice(0, FAMILY_CLUSTER_SETTINGS.compared)
      .sort((a, b) => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0))
      .find((one) => areSimilar(words, wordsOfAll.get(one) ?? new Set()));
    if (leader !== undefined) {
      join(leader, message);
      continue;
    }
    placeOf.set(message, families.length);
    families.push(message);
    for (const word of rarest) {
      const own = leadersOf.get(word);
      if (own === undefined) leadersOf.set(word, [message]);
      else if (own.length < FAMILY_CLUSTER_SETTINGS.leadersPerWord) own.push(message);
    }
  }
  return families;
}

/** Similar sets share one of so many of their rarest words (prefix filtering, Chaudhuri et al. 2006). */
function rarestWords(words: ReadonlySet<string>, frequency: ReadonlyMap<string, number>): string[] {
  const needed = Math.ceil(FAMILY_CLUSTER_SETTINGS.overlap * words.size);
  return [...words]
    .sort((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || compareText(a, b))
    .slice(0, words.size - needed + 1);
}

function areSimilar(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const { overlap, shortOverlap, shortWords } = FAMILY_CLUSTER_SETTINGS;
  if (Math.min(a.size, b.size) < Math.max(a.size, b.size) * overlap) return false;
  const both = sharedCount(a, b);
  const all = a.size + b.size - both;
  return both >= all * (all <= shortWords ? shortOverlap : overlap);
}

function join<G>(leader: Problem<G>, { groups, failures }: Problem<G>): void {
  for (const group of groups) leader.groups.push(group);
  leader.failures += failures;
}

function problemIn<G>(problems: Map<string, Problem<G>>, key: string): Problem<G> {
  const known = problems.get(key) ?? { key, groups: [], failures: 0 };
  problems.set(key, known);
  return known;
}

function messageIn<G>(messages: Map<string, Message<G>>, message: string): Message<G> {
  const key = JSON.stringify(['message', message]);
  const known = messages.get(message) ?? { key, message, groups: [], failures: 0 };
  messages.set(message, known);
  return known;
}

function byFailures(a: Problem<unknown>, b: Problem<unknown>): number {
  return b.failures - a.failures || compareText(a.key, b.key);
}

function byFrequency(a: FailureGroup, b: FailureGroup): number {
  return (
    b.failures - a.failures ||
    compareText(a.template, b.template) ||
    compareText(a.tool, b.tool) ||
    compareText(a.action, b.action) ||
    compareText(a.errorClass, b.errorClass)
  );
}
