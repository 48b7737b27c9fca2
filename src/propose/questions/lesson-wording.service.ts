import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { fenceAll } from '../../untrusted/text/fence.js';
import { type ModelAnswer, ModelQuestion } from '../model/model-question.js';
import { plainTypography, unpresentable } from '../model/presentable.js';
import { type NotWorded, ProposalWords } from '../model/proposal-words.schema.js';
import { Spending, type WantedCall } from '../spending/spending.service.js';
import { Asking, type NotAsked } from './asking.service.js';

/** Raised with every change of the template, and recorded with each proposal. */
export const WORDING_VERSION = 1;

const SYSTEM = readFileSync(new URL('../templates/wording.system.hbs', import.meta.url), 'utf8').trim();
const RETRIES = 1;
/** How often a cycle waits for the rate of calls; each time at most a minute. */
const WAITS = 2;
const WAIT_MS = MINUTE_MS;

export interface WordingQuestion {
  readonly cycleId: string;
  /** As executions remember it. */
  readonly pattern: string;
  /** What was counted, and the words of the rules: nothing as a report said it. */
  readonly records: readonly Readonly<Record<string, string>>[];
  /** What in these words the evidence does not bear out. */
  readonly objection: (words: ProposalWords) => NotWorded | undefined;
}

export type Worded =
  | { readonly outcome: 'worded'; readonly by: string; readonly words: ProposalWords }
  | { readonly outcome: 'rules'; readonly reason: NotWorded };

type Answered = Exclude<ModelAnswer<ProposalWords>, { readonly outcome: 'unavailable' }>;

/**
 * Has the proposer's model word what a cycle proposes (spec E1.8), within the proposer's budgets, rate and rests. It sees
 * structured evidence, fenced, and sets nothing but words; whatever is wrong with them, those of the rules stand.
 */
@Injectable()
export class LessonWording {
  /** The model with the version of its instructions; undefined where the rules word everything. */
  readonly name: string | undefined;
  /** How long asking may take: whoever holds a lease meanwhile holds it for longer. */
  readonly longestMs: number;
  private readonly logger = new Logger(LessonWording.name);
  private readonly question: ModelQuestion<ProposalWords> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly asking: Asking,
    private readonly spending: Spending,
  ) {
    const timeoutMs = config.proposerTimeoutSeconds * 1_000;
    this.longestMs = (RETRIES + 1) * timeoutMs + RETRIES * WAIT_MS + WAITS * WAIT_MS;
    if (!config.proposerEnabled || !config.proposerWording || !asking.proposer.model) return;
    const { proposerModel: model, anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl } = config;
    this.name = `anthropic/${model}/wording-${WORDING_VERSION}`;
    const address = { model, apiKey, baseUrl, timeoutMs, retries: RETRIES };
    this.question = new ModelQuestion(address, SYSTEM, ProposalWords, config.proposerMaxTokens);
  }

  /** Undefined where no model words proposals. Never inside a transaction: it waits for a server. */
  async word({ cycleId, pattern, records, objection }: WordingQuestion): Promise<Worded | undefined> {
    const { name, question } = this;
    if (name === undefined || question === undefined) return undefined;
    const content = fenceAll(records, this.ids.nonce());
    const wanted: WantedCall = {
      about: { purpose: 'wording', cycleId, pattern },
      proposer: name,
      model: this.config.proposerModel,
      most: question.most(content),
    };
    const asked = await this.paced(wanted, () => question.ask(content));
    if (asked.outcome !== 'asked') return { outcome: 'rules', reason: whyNotAsked(asked) };
    const { answer, call } = asked;
    const read = this.read(answer, name, objection);
    const outcome = read.outcome === 'worded' ? 'worded' : read.reason;
    await this.spending.settle(call, { outcome, usage: answer.usage });
    if (read.outcome === 'rules') this.logger.log(`the words of the model are not taken (${read.reason})`);
    return read;
  }

  /** What the wording of a cycle's proposals cost. */
  costOf(cycleId: string): Promise<{ tokens: number; usd: number }> {
    return this.spending.ofCycle(cycleId);
  }

  /** A cycle has few questions, and a backlog of lessons may fill every minute: it waits for a place, not for ever. */
  private async paced(wanted: WantedCall, ask: () => Promise<ModelAnswer<ProposalWords>>) {
    for (let waits = 0; ; waits += 1) {
      const asked = await this.asking.within<Answered>(wanted, ask);
      if (asked.outcome !== 'too_fast' || waits === WAITS) return asked;
      await this.pause(Math.min(WAIT_MS, Math.max(1, asked.until.getTime() - this.clock.now().getTime())));
    }
  }

  protected async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false });
  }

  private read(answer: Answered, by: string, objection: WordingQuestion['objection']): Worded {
    if (answer.outcome === 'none') return { outcome: 'rules', reason: answer.reason };
    const words = plainTypography(answer.value);
    const reason = ProposalWords.safeParse(words).success ? (unpresentable(words) ?? objection(words)) : 'malformed';
    return reason === undefined ? { outcome: 'worded', by, words } : { outcome: 'rules', reason };
  }
}

function whyNotAsked(asked: NotAsked): NotWorded {
  if (asked.outcome === 'too_fast') return 'calls_per_minute';
  return asked.reason.startsWith('over budget') ? 'over_budget' : 'unavailable';
}
