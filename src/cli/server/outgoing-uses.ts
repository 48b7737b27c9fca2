import { type Guildbook, GuildbookError } from '../../client/guildbook.js';
import { withRetries } from './outgoing-reports.js';
import type { ReadExecution } from './transcripts.js';

export interface SentUses {
  /** Uses that the server did not know. */
  readonly new: number;
  /** Uses that the server refused, by reason. */
  readonly refused: ReadonlyMap<string, number>;
}

type Uses = ReadExecution['uses'];

/** Uses that wait for the executions that they belong to. */
const MAX_WAITING = 1_000;

/**
 * Sends uses of skills, after the executions that they belong to. A machine has skills of many origins: only uses of the
 * skills that this server publishes are kept and reported to it.
 */
export class OutgoingUses {
  private waiting: Uses[number][] = [];
  private published: ReadonlySet<string> | undefined;
  private added = 0;
  private readonly refused = new Map<string, number>();

  /** `isOwn`: false for a use that the hooks of its session report. `flush` sends the executions; `onWait`: before each retry. */
  constructor(
    private readonly client: Guildbook,
    private readonly calls: {
      readonly isOwn: (use: Uses[number]) => boolean;
      readonly flush: () => Promise<void>;
      readonly onWait: () => void;
    },
  ) {}

  async add(uses: Uses): Promise<void> {
    if (uses.length === 0) return;
    this.published ??= await publishedNames(this.client);
    for (const one of uses) if (this.published.has(one.skill)) this.waiting.push(one);
    if (this.waiting.length >= MAX_WAITING) await this.send();
  }

  /** Sends what waits. Returns what has been sent so far. */
  async send(): Promise<SentUses> {
    const { client, calls, refused } = this;
    await calls.flush();
    const waiting = this.waiting.filter(calls.isOwn);
    this.waiting = [];
    for (const { agent, skill, use } of waiting) {
      const sent = await withRetries(() => client.skills.use(skill, use, agent), calls.onWait);
      if ('refused' in sent) refused.set(sent.refused, (refused.get(sent.refused) ?? 0) + 1);
      else if (!sent.answer.duplicate) this.added += 1;
    }
    return { new: this.added, refused };
  }
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
