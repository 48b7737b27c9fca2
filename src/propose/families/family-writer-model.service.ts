import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { ModelQuestion } from '../model/model-question.js';
import type { Usage } from '../model/proposer.js';
import { askPatiently, LONGEST_PATIENCE_MS } from '../questions/patient-question.js';
import { type NoReply, ProposerQuestions } from '../questions/proposer-questions.service.js';
import { type CallRequest, type OpenCall, ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { FamilyAnswerRepository } from './family-answer.repository.js';
import { type AnsweredFamily, FamilyBatches, type PricedQuestion } from './family-batches.service.js';
import { FAMILY_PROMPT_VERSION, familyPrompt } from './family-prompt.js';
import type { SentQuestion } from './family-question.repository.js';
import { type FamilyReply, readReply, readRewrite } from './family-reply.js';
import { needsAsking } from './needs-asking.js';
import { type PreparedQuestion, prepareQuestion, sanitized } from './prepared-question.js';

const SYSTEM = readFileSync(new URL('../templates/family.system.hbs', import.meta.url), 'utf8').trim();
const RETRIES = 1;
/** The digits of a fingerprint that executions store. */
const PATTERN_DIGITS = 16;
const ACTOR = jobActor('proposer');

/** `batch`: the question waits for the answer of a batch. */
export type NotAsked = 'over_budget' | 'rate_limited' | 'unavailable' | 'batch';

export interface FamilyRequest {
  readonly cycleId: string;
  readonly questions: readonly FamilyQuestion[];
  /** Called before each question and each batch, which may take `maxDurationMs`. What it throws ends the questions. */
  readonly extendLease: () => Promise<unknown>;
}

export interface FamilyAnswers {
  /** Answers that were not known before, in the order of the questions. */
  readonly fresh: readonly FamilyAnswer[];
  /** Calls of the model that were answered. */
  readonly asked: number;
  /** Families without an answer until a later cycle, because of `because`; `batch` if there is no other reason. */
  readonly waiting: number;
  readonly because: NotAsked | null;
}

/** A cycle with the model that it asks. */
interface CycleModel {
  readonly by: string;
  readonly model: ModelQuestion<LessonAnswer>;
  readonly cycleId: string;
  readonly extendLease: () => Promise<unknown>;
}
interface Paid {
  readonly call: OpenCall;
  readonly usage: Usage | undefined;
}

/**
 * Asks the proposer's model for a lesson about a family of failures, within the proposer's budgets, rate limit and
 * backoff, and many families as one batch. The model sees only the dossier, redacted and fenced. Each answer is stored under the hash of its prompt, so
 * that the same question is never paid for twice and a cycle can be replayed.
 */
@Injectable()
export class FamilyWriterModel {
  /** The provider, the model and the version of the prompt; undefined if only rules write. */
  readonly name: string | undefined;
  /** The longest time that one question or one batch may take, in milliseconds. A caller that holds a lease extends it by this. */
  readonly maxDurationMs: number;
  private readonly logger = new Logger(FamilyWriterModel.name);
  private readonly model: ModelQuestion<LessonAnswer> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly questions: ProposerQuestions,
    private readonly budgets: ProposerBudgets,
    private readonly answersStored: FamilyAnswerRepository,
    private readonly batches: FamilyBatches,
  ) {
    const timeoutMs = config.proposerTimeoutSeconds * 1_000;
    // The answers of a batch take two requests, one after the other.
    this.maxDurationMs = 2 * ((RETRIES + 1) * timeoutMs + RETRIES * MINUTE_MS) + LONGEST_PATIENCE_MS;
    if (!config.proposerEnabled || !config.proposerWritesFamilies || !questions.proposer.model) return;
    const { proposerModel: model, anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl } = config;
    this.name = `anthropic/${model}/families-${FAMILY_PROMPT_VERSION}`;
    const endpoint = { model, apiKey, baseUrl, timeoutMs, retries: RETRIES, temperature: config.proposerTemperature };
    this.model = new ModelQuestion('family', endpoint, SYSTEM, LessonAnswer, config.familyMaxTokens);
  }

  /** Returns the newest stored answer of this model and prompt by the fingerprint of the family. */
  async known(families: readonly string[]): Promise<ReadonlyMap<string, FamilyAnswer>> {
    if (this.name === undefined || families.length === 0) return new Map();
    return this.answersStored.newest(this.database.client, this.name, families);
  }

  /**
   * Asks what has no answer yet, and stores each answer: as one batch if there are many questions, which a later cycle
   * answers, else one after another. It stops at the first question that cannot be asked now; that one and the others are
   * asked in a later cycle. Never throws for a model, and never call it inside a transaction: it waits for a server.
   */
  async answers({ cycleId, questions, extendLease }: FamilyRequest): Promise<FamilyAnswers> {
    const { name: by, model } = this;
    if (by === undefined || model === undefined) return { fresh: [], asked: 0, waiting: 0, because: null };
    const take = (sent: SentQuestion, answered: AnsweredFamily, call: OpenCall): Promise<FamilyAnswer> =>
      this.take(sent, answered, { by: sent.by, cycleId, call });
    const { answers, open, isLost } = await this.batches.resume(model.batches, take, extendLease);
    const known = new Map(await this.known(questions.map(({ family }) => family)));
    const fresh = new Map(answers.filter((one) => one.by === by).map((one) => [one.family, one]));
    const add = (answer: FamilyAnswer): void => {
      known.set(answer.family, answer);
      fresh.set(answer.family, answer);
    };
    const isOpen = (question: FamilyQuestion) => needsAsking(question, known.get(question.family)) !== undefined;
    const unasked: PreparedQuestion[] = [];
    let inBatch = 0;
    for (const question of questions.filter(isOpen)) {
      const prepared = prepareQuestion(question, known.get(question.family), { system: SYSTEM, by });
      if (open.has(question.family) || open.has(prepared.prompt.hash)) {
        inBatch += 1;
        continue;
      }
      const replayed = await this.replay(prepared, by, cycleId);
      if (replayed) add(replayed);
      else unasked.push(prepared);
    }
    const asking: CycleModel = { by, model, cycleId, extendLease };
    const batched = isLost ? undefined : await this.sendBatch(unasked, asking);
    const { asked, waiting, because } = batched ?? (await this.askEach(unasked, asking, add));
    return {
      fresh: [...new Set(questions.map(({ family }) => family))].flatMap((family) => fresh.get(family) ?? []),
      asked: answers.length + asked,
      waiting: waiting + inBatch,
      because: because ?? (inBatch > 0 ? 'batch' : null),
    };
  }

  /** Returns what the lessons of a cycle about families cost, and for how long it waited for them. */
  costOf(cycleId: string): Promise<{ readonly tokens: number; readonly usd: number; readonly seconds: number }> {
    return this.budgets.costOfCycle(cycleId, 'family');
  }

  /** Returns the whole prompt of a question, also if no model is configured. */
  promptOf(question: FamilyQuestion): { readonly system: string; readonly user: string } {
    const { system, user } = familyPrompt({ system: SYSTEM, by: this.name ?? 'rules' }, sanitized(question));
    return { system, user };
  }

  /** Uses the answer to the same prompt again, without a call. */
  private async replay(prepared: PreparedQuestion, by: string, cycleId: string): Promise<FamilyAnswer | undefined> {
    const { family } = prepared.question;
    const stored = await this.answersStored.findByHash(this.database.client, by, prepared.prompt.hash, family);
    if (stored === undefined) return undefined;
    const { outcome, answered } = stored;
    return this.store(prepared, { outcome, answer: answered.answer }, { by, cycleId });
  }

  /** Returns undefined if the questions are too few for a batch, or if none was sent. */
  private async sendBatch(
    unasked: readonly PreparedQuestion[],
    asking: CycleModel,
  ): Promise<Omit<FamilyAnswers, 'fresh'> | undefined> {
    const { proposerBatchMinPending: from } = this.config;
    if (from === 0 || unasked.length < from || this.questions.backoff()) return undefined;
    const { by, model, extendLease } = asking;
    await extendLease();
    const priced = unasked.map((prepared): PricedQuestion => {
      const { user } = prepared.prompt;
      return { ...prepared, by, user, request: this.request(prepared, asking) };
    });
    const because = await this.batches.send(model.batches, priced);
    return because && { asked: 0, waiting: unasked.length, because };
  }

  /** Asks one question after another. */
  private async askEach(
    unasked: readonly PreparedQuestion[],
    asking: CycleModel,
    add: (answer: FamilyAnswer) => void,
  ): Promise<Omit<FamilyAnswers, 'fresh'>> {
    let asked = 0;
    for (const [at, prepared] of unasked.entries()) {
      // An earlier one of these questions may have had the same prompt.
      let answer = await this.replay(prepared, asking.by, asking.cycleId);
      if (answer === undefined) {
        await asking.extendLease();
        const reply = await this.ask(prepared, asking);
        if (typeof reply === 'string') return { asked, waiting: unasked.length - at, because: reply };
        asked += 1;
        answer = reply;
      }
      add(answer);
    }
    return { asked, waiting: 0, because: null };
  }

  private request({ question, prompt }: PreparedQuestion, { by, model, cycleId }: CycleModel): CallRequest {
    const pattern = question.family.replace(/^sha256:/, '').slice(0, PATTERN_DIGITS);
    return {
      subject: { purpose: 'family', cycleId, pattern },
      proposer: by,
      model: this.config.proposerModel,
      maxUsage: model.maxUsage(prompt.user),
    };
  }

  private async ask(prepared: PreparedQuestion, asking: CycleModel): Promise<FamilyAnswer | NotAsked> {
    const { by, model, cycleId } = asking;
    const { user } = prepared.prompt;
    const request = this.request(prepared, asking);
    const reply = await askPatiently(
      () => this.questions.callWithinBudget<AnsweredFamily>(request, () => model.ask(user)),
      { clock: this.clock, pause: (milliseconds) => this.pause(milliseconds) },
    );
    if (reply.outcome !== 'answered') return notAsked(reply);
    return this.take(prepared, reply.answer, { by, cycleId, call: reply.call });
  }

  /** Reads what a model answered, and stores it. */
  private take(
    sent: Omit<SentQuestion, 'id' | 'by'>,
    answered: AnsweredFamily,
    { by, cycleId, call }: { readonly by: string; readonly cycleId: string; readonly call: OpenCall },
  ): Promise<FamilyAnswer> {
    const { rewrite } = sent.question;
    const read = rewrite ? readRewrite(answered, rewrite.answer) : readReply(answered);
    this.logger.log(`asked about a family of failures: ${read.outcome}`);
    return this.store(sent, read, { by, cycleId, paid: { call, usage: answered.usage } });
  }

  /** Stores an answer, settles its call and journals both, in one transaction. */
  private async store(
    { question, prompt }: Omit<SentQuestion, 'id' | 'by'>,
    { outcome, answer }: FamilyReply,
    { by, cycleId, paid }: { readonly by: string; readonly cycleId: string; readonly paid?: Paid },
  ): Promise<FamilyAnswer> {
    const { family, executions, dossier, learnedFrom, rewrite } = question;
    const { hash, shown } = prompt;
    const rewritten = rewrite !== undefined;
    const found = { family, executions, dossier, shown, learnedFrom, answer, by, hash, rewritten };
    const { value: answered } = redactDeep(found);
    await this.database.transaction(async (tx) => {
      if (paid) await this.budgets.settle(paid.call, { outcome, usage: paid.usage }, tx);
      const asked = { id: this.ids.uuid(), outcome, cycleId, askedAt: this.clock.now() };
      await this.answersStored.store(tx, { ...asked, answered });
      await this.journal.append(tx, ACTOR, {
        action: 'SKILL_EVOLVER_FAMILY_ASKED',
        subject: { type: 'family', id: family },
        data: { cycle: cycleId, by, hash, outcome, executions, replayed: paid === undefined },
      });
    });
    return answered;
  }

  protected async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false });
  }
}

function notAsked(reply: NoReply): NotAsked {
  if (reply.outcome === 'rate_limited') return 'rate_limited';
  return reply.reason.startsWith('over budget') ? 'over_budget' : 'unavailable';
}
