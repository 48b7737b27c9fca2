import { readFileSync } from 'node:fs';
import type { FamilyAnswer, FamilyQuestion } from '../../src/evidence/answers/family-question.js';
import { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { familyPrompt } from '../../src/propose/families/family-prompt.js';
import { readReply } from '../../src/propose/families/family-reply.js';
import { ModelQuestion } from '../../src/propose/model/model-question.js';
import type { RecordedApi } from './recorded-api.js';

const SYSTEM = readFileSync(new URL('../../src/propose/templates/family.system.hbs', import.meta.url), 'utf8').trim();
const TIMEOUT_MS = 10_000;

const tokens = (text: string): number => Math.ceil(text.length / 4);

/** Asks as the product does, of a server that answers with recorded messages. */
export class ReplayedModel {
  /** Tokens of the instructions, at four characters a token. */
  readonly systemTokens = tokens(SYSTEM);
  private readonly question: ModelQuestion<LessonAnswer>;

  constructor(
    private readonly api: RecordedApi,
    private readonly by: string,
  ) {
    const config = loadConfig({});
    const endpoint = {
      model: config.proposerModel,
      apiKey: 'none',
      baseUrl: api.url,
      timeoutMs: TIMEOUT_MS,
      retries: 0,
    };
    this.question = new ModelQuestion('family', endpoint, SYSTEM, LessonAnswer, config.proposerMaxTokens);
  }

  /** The text of a question, as the model reads it. */
  shown(question: Pick<FamilyQuestion, 'dossier' | 'rewrite'>): string {
    return this.prompt(question).shown;
  }

  /** Tokens of what is asked beside the instructions, at four characters a token. */
  tokensOf(question: Pick<FamilyQuestion, 'dossier' | 'rewrite'>): number {
    return tokens(this.prompt(question).user);
  }

  /**
   * Asks about a family, is answered with the recorded answer, and returns what the product stores. `shown`: the text on
   * which a recorded answer rests, if it is not the product's own. Throws RangeError if the model could not be asked.
   */
  async ask(question: FamilyQuestion, recorded: LessonAnswer, shown?: string): Promise<FamilyAnswer> {
    const prompt = this.prompt(question);
    this.api.next(JSON.stringify(recorded));
    const reply = await this.question.ask(prompt.user);
    if (reply.outcome === 'unavailable')
      throw new RangeError(`the recorded answers cannot be asked for: ${reply.reason}`);
    const { family, executions, dossier, learnedFrom } = question;
    return {
      family,
      executions,
      dossier,
      learnedFrom,
      by: this.by,
      hash: prompt.hash,
      rewritten: false,
      shown: shown ?? prompt.shown,
      answer: readReply(reply).answer,
    };
  }

  private prompt(question: Pick<FamilyQuestion, 'dossier' | 'rewrite'>) {
    return familyPrompt({ system: SYSTEM, by: this.by }, question);
  }
}
