import type { LessonWriter } from '../../src/evolve/writers/lesson-writer.js';
import type { ExaminedFamily } from '../transfer/examined.js';
import { type AnswerOutcome, outcomeOf, type WrittenAnswers } from './answer-outcome.js';
import { claimedBy } from './find-family.js';
import type { CommittedAnswer } from './given-answers.js';
import { hostileAnswersOf } from './hostile-answers.js';
import { judgedAnswer } from './judged-answer.js';
import type { WrittenFamily } from './measure-written.js';
import type { ReplayedModel } from './replayed-model.js';

/**
 * Asks the product's question about every family of a set, answered from the file of the set, and with bad answers that
 * are made of the good ones.
 */
export async function committedAnswers(
  families: readonly ExaminedFamily[],
  given: readonly CommittedAnswer[],
  { model, writer }: { readonly model: ReplayedModel; readonly writer: LessonWriter },
): Promise<WrittenAnswers> {
  const outcomes: AnswerOutcome[] = [];
  const written: WrittenFamily[] = [];
  const asked = new Map(families.flatMap((of) => (of.question ? [[of.question.family, of] as const] : [])));
  for (const { family, answer } of given) {
    const of = asked.get(family);
    if (!of?.question) {
      outcomes.push(outcomeOf(family, answer, undefined));
      continue;
    }
    const stored = await model.ask(of.question, answer);
    const judged = judgedAnswer(writer, stored, of, claimedBy(of));
    outcomes.push(outcomeOf(family, answer, judged));
    written.push({ of, learnedFrom: stored.learnedFrom, candidates: judged.counted });
    for (const { label, answer: bad } of hostileAnswersOf(answer)) {
      const found = judgedAnswer(writer, await model.ask(of.question, bad), of, claimedBy(of));
      outcomes.push(outcomeOf(`${family} ${label}`, bad, found, { label, own: true }));
    }
  }
  const answered = new Set(given.map(({ family }) => family));
  return { outcomes, written, unanswered: [...asked.keys()].filter((family) => !answered.has(family)) };
}
