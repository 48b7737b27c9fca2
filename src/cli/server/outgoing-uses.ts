import { type Guildbook, GuildbookError } from '../../client/guildbook.js';
import { withRetries } from './outgoing-reports.js';
import type { DerivedFile } from './transcripts.js';

export interface SentUses {
  /** Uses that the server did not know. */
  readonly new: number;
  /** Uses that the server refused, by reason. */
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * Sends uses of skills, after the executions that they belong to. A machine has skills of many origins: only uses of the
 * skills that this server publishes are reported to it.
 */
export async function sendUses(client: Guildbook, uses: DerivedFile['uses'], onWait: () => void): Promise<SentUses> {
  const refused = new Map<string, number>();
  let added = 0;
  if (uses.length === 0) return { new: 0, refused };
  const published = await publishedNames(client);
  for (const { agent, skill, use } of uses) {
    if (!published.has(skill)) continue;
    const sent = await withRetries(() => client.skills.use(skill, use, agent), onWait);
    if ('refused' in sent) refused.set(sent.refused, (refused.get(sent.refused) ?? 0) + 1);
    else if (!sent.answer.duplicate) added += 1;
  }
  return { new: added, refused };
}

async function publishedNames(client: Guildbook): Promise<ReadonlySet<string>> {
  try {
    return new Set((await client.skills.list()).items.map(({ name }) => name));
  } catch (error) {
    // A service may report without being allowed to read: import its executions anyway.
    if (error instanceof GuildbookError && error.problem.status === 403) return new Set();
    throw error;
  }
}
