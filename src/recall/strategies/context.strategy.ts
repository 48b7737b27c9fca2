import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { MEMORY_FILTER, type MemoryFilter } from '../ranking/non-inferable.js';
import { MemoryFinder } from '../search/memory-finder.service.js';
import { ModelHelp } from '../search/model-help.service.js';
import { narrow, type Recollection, type RecollectionOptions, tell } from '../search/recollection.js';
import { searchAndAsk } from '../search/search-and-ask.js';
import { handedInRecords, replacesMemories } from './handed-in.js';
import type { MemoryTool, RecallQuery, RecallStrategy } from './strategy.js';

/** More is looked at than is told, so that what is filtered or repeats has something behind it (spec R2: three times). */
const OVERFETCH = 3;
/** What was told before does not push out what is new: so much more is looked at for its sake. */
const MOST_TOLD = 200;

/** Memories are put before the model, chosen for its task (spec R2). It is given no tools. */
@Injectable()
export class ContextStrategy implements RecallStrategy {
  readonly name = 'context';

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly finder: MemoryFinder,
    @Inject(MEMORY_FILTER) private readonly filter: MemoryFilter,
    private readonly help: ModelHelp,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  tools(): readonly MemoryTool[] {
    return [];
  }

  async prepareMessages(query: RecallQuery): Promise<Recollection> {
    const { agent, overrides, rounds, tokenBudget, limit, diversify, role, told } = query;
    const { found, warnings } = replacesMemories(overrides)
      ? { found: [], warnings: [] }
      : await searchAndAsk(query.text, rounds, (text) => this.find(query, text), this.help.asker);
    const options: RecollectionOptions = {
      agentId: agent.id,
      now: this.clock.now(),
      weights: this.finder.weights,
      minRelevance: this.config.minRelevance,
      told,
      warnings,
      handedIn: handedInRecords(overrides),
      tokenBudget,
      limit,
      diversify,
      role,
      nonce: this.ids.nonce(),
      keeps: (entry) => this.filter.keeps(entry),
    };
    const narrowed = narrow(found, options);
    const selection = await this.help.select(query.text, narrowed.fresh);
    if (!selection) return tell(narrowed, options);
    return tell(narrowed, { ...options, selected: selection.ids, warnings: [...warnings, ...selection.warnings] });
  }

  private find({ agent, retrieval, tools, limit, told }: RecallQuery, text: string) {
    const wanted = limit * OVERFETCH + Math.min(told.ids.size, MOST_TOLD);
    return this.finder.find({ agent, text, retrieval, tools, limit: wanted });
  }
}
