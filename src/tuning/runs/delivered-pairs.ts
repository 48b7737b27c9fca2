import { isGenericTitle } from '../../capture/observations/session-topic.js';
import { generalise } from '../../untrusted/text/generalise.js';

/** A task in whose session an approved skill was delivered, and which ended well. */
export interface DeliveredPair {
  readonly memoryId: string;
  readonly agentId: string;
  readonly title: string;
  readonly description: string | null;
}

/** A text that asks for a memory. */
export interface AskedFor {
  readonly text: string;
  readonly memoryId: string;
}

/** Characters of a task that serve as a query. */
const MAX_QUERY = 1_000;
/** What two agents were asked is a task of the organisation; what one was asked may be seen by that one alone. */
const MIN_AGENTS = 2;

/**
 * The tasks that can ask for the memories that were delivered in them: generalised, reported by at least two agents, and
 * with a title that names a task, since the title of a product asks for nothing.
 */
export function askedFor(pairs: readonly DeliveredPair[]): AskedFor[] {
  const agents = new Map<string, Set<string>>();
  const asked = pairs.flatMap(({ memoryId, agentId, title, description }) => {
    const text = generalise(`${isGenericTitle(title) ? '' : title} ${description ?? ''}`.trim()).slice(0, MAX_QUERY);
    if (text === '') return [];
    agents.set(text, (agents.get(text) ?? new Set()).add(agentId));
    return [{ text, memoryId }];
  });
  return asked.filter(({ text }) => (agents.get(text)?.size ?? 0) >= MIN_AGENTS);
}
