import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/identity/caller.js';
import { RecallRequest } from '../recall/ranking/recall.schema.js';
import { RecallService } from '../recall/strategies/recall.service.js';
import { Deliveries } from '../skills/delivery/deliveries.service.js';
import type { WaitingSession } from './failure-advice.service.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';

const LIMITS = { memories: 3, tokens: 500, characters: 2_000, prompt: 20_000 } as const;

/**
 * What a session receives with a prompt: verified memories about it that the session does not have yet. The prompt is
 * used for the search and neither stored nor logged.
 */
@Injectable()
export class PromptLessons {
  constructor(
    private readonly recall: RecallService,
    private readonly deliveries: Deliveries,
  ) {}

  async answer(caller: Caller, session: WaitingSession, prompt: string): Promise<HookAnswer> {
    const query = prompt.trim().slice(0, LIMITS.prompt);
    // A recall is the agent's own: no other credential may search its private memories.
    if (caller.kind !== 'agent' || query === '') return NOTHING;
    const request = RecallRequest.parse({
      query,
      sessionId: session.id,
      newOnly: true,
      verifiedOnly: true,
      limit: LIMITS.memories,
      tokenBudget: LIMITS.tokens,
      strategy: 'context',
      rounds: 0,
      retrieval: 'words',
    });
    const { messages, memories } = await this.recall.recall(caller, request);
    const text = messages.map(({ content }) => content).join('\n');
    if (memories.length === 0 || text.length > LIMITS.characters || session.isLate()) return NOTHING;
    for (const { id: memoryId, skillName, version } of memories)
      await this.deliveries.record(session.agent, {
        memoryId,
        skillName,
        version,
        sessionId: session.id,
        harness: session.harness,
        moment: 'prompt',
        shape: '',
        arm: 'delivered',
      });
    return { kind: 'text', text };
  }
}
