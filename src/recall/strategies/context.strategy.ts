import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { ServedReference } from '../embedding/served-embedder.js';
import { MEMORY_FILTER, type MemoryFilter } from '../ranking/non-inferable.js';
import { MemoryFinder, weightsOf } from '../search/memory-finder.service.js';
import { searchWithExpansion } from '../search/query-expansion.js';
import { RecallAssistant } from '../search/recall-assistant.service.js';
import { type AssemblyOptions, packRecall, type RecallResult, rankAndFilter } from '../search/recall-result.js';
import { replacesMemories, requestContextRecords } from './request-context.js';
import type { MemoryTool, RecallQuery, RecallStrategy } from './strategy.js';

/** Candidates for each delivered memory, so that filtering and diversity have enough to choose from. */
const OVERFETCH = 3;
/** Maximum additional candidates to make up for memories that the session already has. */
const MAX_EXTRA_CANDIDATES = 200;

/** Delivers the memories for a task in the model's context. The model gets no tools. */
@Injectable()
export class ContextStrategy implements RecallStrategy {
  readonly name = 'context';

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly finder: MemoryFinder,
    @Inject(MEMORY_FILTER) private readonly filter: MemoryFilter,
    private readonly assistant: RecallAssistant,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  tools(): readonly MemoryTool[] {
    return [];
  }

  async prepareMessages(query: RecallQuery): Promise<RecallResult> {
    const { agent, overrides, rounds, tokenBudget, limit, diversify, role, verifiedOnly, deliveredBefore } = query;
    const { served } = this.finder;
    const { found, warnings } = replacesMemories(overrides)
      ? { found: [], warnings: [] }
      : await searchWithExpansion(
          query.text,
          rounds,
          (text) => this.find(query, text, served),
          this.assistant.expander,
        );
    const options: AssemblyOptions = {
      agentId: agent.id,
      now: this.clock.now(),
      weights: weightsOf(served),
      minRelevance: Math.max(this.config.minRelevance, query.minRelevance ?? 0),
      deliveredBefore,
      warnings,
      requestContext: requestContextRecords(overrides),
      tokenBudget,
      limit,
      diversify,
      role,
      nonce: this.ids.nonce(),
      isAllowed: (entry) => this.filter.allows(entry) && (!verifiedOnly || entry.provenance === 'verified'),
    };
    const rankedMemories = rankAndFilter(found, options);
    const selection = await this.assistant.select(query.text, rankedMemories.distinct);
    if (!selection) return packRecall(rankedMemories, options);
    return packRecall(rankedMemories, {
      ...options,
      selected: selection.ids,
      warnings: [...warnings, ...selection.warnings],
    });
  }

  private find(query: RecallQuery, text: string, served: ServedReference) {
    const { agent, retrieval, tools, limit, deliveredBefore } = query;
    const candidateLimit = limit * OVERFETCH + Math.min(deliveredBefore.ids.size, MAX_EXTRA_CANDIDATES);
    return this.finder.find({ agent, text, retrieval, tools, limit: candidateLimit, served });
  }
}
