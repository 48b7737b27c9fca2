import { Inject, Injectable } from '@nestjs/common';
import type { AgentIdentity } from '../../access/identity/agents.service.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { NOTHING_TOLD } from '../ranking/session-told.js';
import type { RecallQuery } from './strategy.js';

/** How this server recalls where nobody says otherwise. */
@Injectable()
export class RecallDefaults {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  get strategy() {
    return this.config.recallStrategy;
  }

  get retrieval() {
    return this.config.retrieval;
  }

  get minRelevance() {
    return this.config.minRelevance;
  }

  get rounds() {
    return this.config.searchAndAskRounds;
  }

  /** A search that the model makes itself. */
  forTools(agent: AgentIdentity): Omit<RecallQuery, 'text' | 'limit' | 'tokenBudget'> {
    const { retrieval, rounds } = this;
    return { agent, retrieval, rounds, tools: [], overrides: {}, diversify: true, role: 'user', told: NOTHING_TOLD };
  }
}
