import { Inject, Injectable } from '@nestjs/common';
import type { Tellable } from '../../memory/store/readable.js';
import { Clock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type Listed, RecallModel } from '../../propose/questions/recall-model.service.js';
import { clip } from '../../untrusted/text/clip.js';
import { FIELD_CAPS, fieldsOf } from '../ranking/rendering.js';
import { type Asker, askByTerms } from './search-and-ask.js';

/** The most that a model is shown: more would cost a recall more time than it gains. */
const MOST_LISTED = 20;

export interface Selection {
  /** Best first. */
  readonly ids: readonly string[];
  readonly warnings: readonly string[];
}

/** Where a small model helps a recall, if one is set up (spec R3). */
@Injectable()
export class ModelHelp {
  readonly asker: Asker;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'recallSelector' | 'searchAndAskBy' | 'recallModel'>,
    private readonly model: RecallModel,
    private readonly clock: Clock,
  ) {
    const byModel = config.searchAndAskBy === 'model' && config.recallModel !== undefined;
    this.asker = byModel ? { next: (query, found) => this.next(query, found) } : askByTerms;
  }

  get selects(): boolean {
    return this.config.recallSelector === 'model' && this.config.recallModel !== undefined;
  }

  /**
   * What of these is told. Undefined where nobody is asked: then the ranking chooses. A model that was asked and fails
   * selects nothing (spec R3): what it might have held back is not told for its failure.
   */
  async select(task: string, candidates: readonly { readonly entry: Tellable }[]): Promise<Selection | undefined> {
    if (!this.selects || candidates.length === 0) return undefined;
    const shown = candidates.slice(0, MOST_LISTED).map(({ entry }) => entry);
    const answer = await this.model.choose(
      task,
      shown.map((entry) => this.listed(entry)),
    );
    if (answer.outcome === 'not_asked') return undefined;
    if (answer.outcome === 'failed')
      return { ids: [], warnings: [`The model that selects failed (${answer.reason}), so nothing is recalled.`] };
    return { ids: answer.value.flatMap((place) => shown[place]?.id ?? []), warnings: [] };
  }

  /** A model that is not asked or fails leaves it to the words. */
  private async next(query: string, found: Parameters<Asker['next']>[1]): Promise<string | undefined> {
    const answer = await this.model.missing(
      query,
      found.slice(0, MOST_LISTED).map(({ entry }) => this.listed(entry)),
    );
    return answer.outcome === 'answer' ? answer.value : askByTerms.next(query, found);
  }

  private listed(entry: Tellable): Listed {
    const { memory: _id, source: _source, lesson: _lesson, ...fields } = fieldsOf(entry, this.clock.now());
    return { ...fields, about: clip(entry.lesson.discovery, FIELD_CAPS.lesson) };
  }
}
