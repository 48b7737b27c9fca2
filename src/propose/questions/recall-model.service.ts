import { readFileSync } from 'node:fs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { type Fenced, fencedForModel } from '../model/fenced.js';
import { type ModelAnswer, ModelQuestion } from '../model/model-question.js';
import { ProposerCallRepository } from '../spending/proposer-call.repository.js';
import { RecallChoice, RecallReview } from './recall-answer.schema.js';
import { RecallModelRepository } from './recall-model.repository.js';

const template = (name: string): string =>
  readFileSync(new URL(`../templates/${name}.system.hbs`, import.meta.url), 'utf8').trim();
const MAX_TOKENS = 500;
const TASK_CHARACTERS = 2_000;
/** Twenty names of ordinary length. */
const TOOLS_CHARACTERS = 500;
/** A recall must not wait for a second attempt. */
const RETRIES = 0;
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 600_000;

/** The texts by which a memory is listed. */
export type ListedMemory = Readonly<Record<string, string>>;

export type RecallAnswer<T> =
  | { readonly outcome: 'answer'; readonly value: T }
  /** No model is configured, it is in backoff, or the calls of the day are used up; no call was made. */
  | { readonly outcome: 'not_asked'; readonly reason: string }
  /** The model was called, and its answer cannot be used. */
  | { readonly outcome: 'failed'; readonly reason: string };

/**
 * An optional small model that a recall may ask which of the found memories to return, and whether they are enough. It
 * sees only what the agent may see, redacted and fenced, and can only choose among the listed memories.
 */
@Injectable()
export class RecallModel {
  private readonly logger = new Logger(RecallModel.name);
  private readonly choice: ModelQuestion<RecallChoice> | undefined;
  private readonly review: ModelQuestion<RecallReview> | undefined;
  private consecutiveFailures = 0;
  private backoffUntil = 0;
  /** The calls that this process made today for the agents of each owner. */
  private readonly calledFor = new Map<string, number>();
  private day = '';

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly calls: RecallModelRepository,
    private readonly ledger: ProposerCallRepository,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {
    const { recallModel: model, anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl } = config;
    if (model === undefined) return;
    const endpoint = { model, apiKey, baseUrl, timeoutMs: config.recallModelTimeoutSeconds * 1_000, retries: RETRIES };
    this.choice = new ModelQuestion('recall', endpoint, template('selection'), RecallChoice, MAX_TOKENS);
    this.review = new ModelQuestion('recall', endpoint, template('asking'), RecallReview, MAX_TOKENS);
  }

  /**
   * Returns the positions, from 0, of the memories that help with the task, the most useful first. Fails if the model
   * names a position that does not exist. `recentTools`: what the agent used last. Of the calls of a
   * day each owner of agents has a share.
   */
  async choose(
    agentId: string,
    task: string,
    listed: readonly ListedMemory[],
    recentTools: readonly string[] = [],
  ): Promise<RecallAnswer<readonly number[]>> {
    const answer = await this.ask(this.choice, agentId, task, listed, recentTools);
    if (answer.outcome !== 'answer') return answer;
    const positions = [...new Set(answer.value.selected)].map((number) => number - 1);
    return positions.every((place) => listed[place] !== undefined)
      ? { outcome: 'answer', value: positions }
      : this.failed('it selected a memory that was not listed');
  }

  /** Returns the next search query; undefined if the memories are enough. */
  async nextQuery(
    agentId: string,
    task: string,
    listed: readonly ListedMemory[],
  ): Promise<RecallAnswer<string | undefined>> {
    const answer = await this.ask(this.review, agentId, task, listed);
    if (answer.outcome !== 'answer') return answer;
    const { enough, query } = answer.value;
    return { outcome: 'answer', value: enough || query.trim() === '' ? undefined : query.trim() };
  }

  private async ask<T>(
    question: ModelQuestion<T> | undefined,
    agentId: string,
    task: string,
    listed: readonly ListedMemory[],
    recentTools: readonly string[] = [],
  ): Promise<RecallAnswer<T>> {
    if (!question) return { outcome: 'not_asked', reason: 'no model for recalls is configured' };
    const now = this.clock.now();
    if (now.getTime() < this.backoffUntil)
      return { outcome: 'not_asked', reason: 'the model for recalls is in backoff' };
    if (!(await this.takeCall(agentId, now.toISOString().slice(0, 10))))
      return { outcome: 'not_asked', reason: 'the calls of the day are used up' };
    return this.read(await question.ask(this.content(task, listed, recentTools)));
  }

  /** As `hasShare` says: an owner with whom others share the day may make a call while it made fewer than are left. */
  private async takeCall(agentId: string, day: string): Promise<boolean> {
    const { client } = this.database;
    if (day !== this.day) this.calledFor.clear();
    this.day = day;
    const owner = (await this.ledger.sharingOwner(client, agentId)) ?? '';
    const own = owner === '' ? 0 : (this.calledFor.get(owner) ?? 0);
    if (!(await this.calls.takeCall(client, day, this.config.recallModelDayCalls - own))) return false;
    this.calledFor.set(owner, own + 1);
    return true;
  }

  private content(task: string, listed: readonly ListedMemory[], recentTools: readonly string[]): Fenced {
    const used = clip(redact(recentTools.join(', ')).text, TOOLS_CHARACTERS);
    const asked = {
      task: clip(redact(task).text, TASK_CHARACTERS),
      ...(used === '' ? {} : { recently_used_tools: used }),
    };
    const records = listed.map((fields, at) => ({ number: String(at + 1), ...fields }));
    return fencedForModel([asked, ...records], this.ids.nonce());
  }

  /** Backs off after each failure, twice as long each time, so that recalls do not wait for the model. */
  private read<T>(answer: ModelAnswer<T>): RecallAnswer<T> {
    if (answer.outcome === 'unavailable') {
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** this.consecutiveFailures, MAX_BACKOFF_MS);
      this.consecutiveFailures = Math.min(this.consecutiveFailures + 1, 10);
      this.backoffUntil = this.clock.now().getTime() + backoff;
      this.logger.warn(`the model for recalls is unavailable (${answer.reason})`);
      return this.failed(answer.reason);
    }
    this.consecutiveFailures = 0;
    return answer.outcome === 'answer' ? answer : this.failed(answer.reason);
  }

  private failed(reason: string): { readonly outcome: 'failed'; readonly reason: string } {
    return { outcome: 'failed', reason };
  }
}
