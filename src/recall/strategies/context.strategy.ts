import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { ServedReference } from '../embedding/served-embedder.js';
import { MEMORY_FILTER, type MemoryFilter } from '../ranking/memory-filter.js';
import { RankingProfiles } from '../ranking/ranking-profile.service.js';
import type { SourceWeights } from '../ranking/source-ranking.js';
import { MemoryFinder, weightsOf } from '../search/memory-finder.service.js';
import { searchWithExpansion } from '../search/query-expansion.js';
import { RecallAssistant } from '../search/recall-assistant.service.js';
import {
  type AssemblyOptions,
  packRecall,
  type RankedMemories,
  type RecallResult,
  rankAndFilter,
} from '../search/recall-result.js';
import {
  type MemoryTool,
  NOTHING,
  type RecallQuery,
  type RecallStrategy,
  replacesMemories,
  requestContextRecords,
} from './strategy.js';

/** Maximum additional candidates to make up for memories that the session already has. */
const MAX_EXTRA_CANDIDATES = 200;

/** Delivers the memories for a task in the model's context. The model gets no tools. */
@Injectable()
export class ContextStrategy implements RecallStrategy {
  readonly name = 'context';

  constructor(
    private readonly profiles: RankingProfiles,
    private readonly finder: MemoryFinder,
    @Inject(MEMORY_FILTER) private readonly filter: MemoryFilter,
    private readonly assistant: RecallAssistant,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  tools(): readonly MemoryTool[] {
    return [];
  }

  async open(): Promise<RecallResult> {
    return NOTHING;
  }

  async prepareMessages(query: RecallQuery): Promise<RecallResult> {
    const { agent, overrides = {}, rounds, verifiedOnly = false } = query;
    const { served } = this.finder;
    const profile = this.profiles.current;
    const { found, warnings } = replacesMemories(overrides)
      ? { found: [], warnings: [] }
      : await searchWithExpansion(
          query.text,
          rounds,
          (text) => this.find(query, text, served),
          this.assistant.expanderFor(agent.id),
        );
    const options: AssemblyOptions = {
      ...query,
      diversify: query.diversify ?? profile.diversity.enabled,
      role: query.role ?? 'user',
      agentId: agent.id,
      now: this.clock.now(),
      weights: this.weightsWith(served),
      profile,
      alreadyRead: new Set(query.alreadyRead),
      warnings,
      requestContext: requestContextRecords(overrides),
      nonce: this.ids.nonce(),
      isAllowed: (entry) => this.filter.allows(entry) && (!verifiedOnly || entry.provenance === 'verified'),
    };
    const rankedMemories = rankAndFilter(found, options);
    const selection = this.canDeliver(rankedMemories, options)
      ? await this.assistant.select(agent.id, query.text, rankedMemories.distinct, query.recentTools)
      : undefined;
    if (!selection) return packRecall(rankedMemories, options);
    return packRecall(rankedMemories, {
      ...options,
      selected: selection.ids,
      warnings: [...warnings, ...selection.warnings],
    });
  }

  /**
   * Whether any candidate fits into the token budget and into what is left of the session's bytes. Otherwise no model is
   * asked: its selection could not be delivered.
   */
  private canDeliver(memories: RankedMemories, options: AssemblyOptions): boolean {
    return !this.assistant.usesSelector || packRecall(memories, { ...options, diversify: false }).delivered.length > 0;
  }

  private weightsWith(served: ServedReference): SourceWeights {
    const { words, vectors } = weightsOf(served);
    return { words, vectors: this.profiles.current.fusion.embedderWeight ?? vectors };
  }

  private find(
    { agent, retrieval, limit, deliveredBefore, alreadyRead, ...query }: RecallQuery,
    text: string,
    served: ServedReference,
  ) {
    const tools = [...(query.tools ?? []), ...query.recentTools];
    const known = deliveredBefore.ids.size + alreadyRead.length;
    const candidateLimit = limit * this.profiles.current.diversity.pool + Math.min(known, MAX_EXTRA_CANDIDATES);
    return this.finder.find({ agent, text, asked: query.text, retrieval, tools, limit: candidateLimit, served });
  }
}
