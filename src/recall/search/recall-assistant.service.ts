import { Inject, Injectable } from '@nestjs/common';
import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { Clock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type ListedMemory, RecallModel } from '../../propose/questions/recall-model.service.js';
import { clip } from '../../untrusted/text/clip.js';
import { FIELD_CAPS, fieldsOf } from '../ranking/rendering.js';
import { expandByTerms, type QueryExpander } from './query-expansion.js';

/** Maximum candidates for the model. More would cost a recall more time than they gain. */
const MAX_CANDIDATES = 20;

export interface Selection {
  /** Best first. */
  readonly ids: readonly string[];
  readonly warnings: readonly string[];
}

/** The optional small model of a recall: it selects memories and expands queries. */
@Injectable()
export class RecallAssistant {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'recallSelector' | 'queryExpander' | 'recallModel'>,
    private readonly model: RecallModel,
    private readonly clock: Clock,
  ) {}

  expanderFor(agentId: string): QueryExpander {
    const byModel = this.config.queryExpander === 'model' && this.config.recallModel !== undefined;
    return byModel ? { expandQuery: (query, found) => this.expandQuery(agentId, query, found) } : expandByTerms;
  }

  get usesSelector(): boolean {
    return this.config.recallSelector === 'model' && this.config.recallModel !== undefined;
  }

  /**
   * Returns the selected memories, or undefined if no model is asked and the ranking selects. Fails closed: a model that was
   * asked and fails selects nothing, because it might have omitted these memories. `recentTools`: names of the tools that
   * the agent used last, so that the model does not select what only explains them.
   */
  async select(
    agentId: string,
    task: string,
    candidates: readonly { readonly entry: RecallableMemory }[],
    recentTools: readonly string[] = [],
  ): Promise<Selection | undefined> {
    if (!this.usesSelector || candidates.length === 0) return undefined;
    const shown = candidates.slice(0, MAX_CANDIDATES).map(({ entry }) => entry);
    const answer = await this.model.choose(
      agentId,
      task,
      shown.map((entry) => this.candidateOf(entry)),
      recentTools,
    );
    if (answer.outcome === 'not_asked') return undefined;
    if (answer.outcome === 'failed')
      return { ids: [], warnings: [`The selection model failed (${answer.reason}), so nothing is recalled.`] };
    return { ids: answer.value.flatMap((index) => shown[index]?.id ?? []), warnings: [] };
  }

  /** Falls back to expansion by terms if the model is not asked or fails. */
  private async expandQuery(
    agentId: string,
    query: string,
    found: Parameters<QueryExpander['expandQuery']>[1],
  ): Promise<string | undefined> {
    const answer = await this.model.nextQuery(
      agentId,
      query,
      found.slice(0, MAX_CANDIDATES).map(({ entry }) => this.candidateOf(entry)),
    );
    return answer.outcome === 'answer' ? answer.value : expandByTerms.expandQuery(query, found);
  }

  private candidateOf(entry: RecallableMemory): ListedMemory {
    const { memory: _id, source: _source, lesson: _lesson, ...fields } = fieldsOf(entry, this.clock.now());
    return { ...fields, about: clip(entry.lesson.discovery, FIELD_CAPS.lesson) };
  }
}
