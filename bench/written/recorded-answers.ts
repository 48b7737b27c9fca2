import { predicateOfAnswer } from '../../src/evidence/answers/answered-predicate.js';
import type { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import type { LessonWriter } from '../../src/evolve/writers/lesson-writer.js';
import { answerOfRecorded, type RecordedDossier, readableDossier } from '../../test/data/recorded-answers.js';
import type { ExaminedFamily } from '../transfer/examined.js';
import { type AnswerOutcome, outcomeOf, type WrittenAnswers } from './answer-outcome.js';
import { claimedBy, familyOf } from './find-family.js';
import type { GivenAnswers } from './given-answers.js';
import { hostileAnswersOf } from './hostile-answers.js';
import { judgedAnswer } from './judged-answer.js';
import type { WrittenFamily } from './measure-written.js';
import type { ReplayedModel } from './replayed-model.js';
import { forShownArguments } from './shown-arguments.js';

/** The families of a set, and all its executions. */
export interface RecordedSet {
  readonly families: readonly ExaminedFamily[];
  readonly executions: readonly RecordedExecution[];
}

/**
 * Asks with the recorded dossiers of a set, answered with the recorded answers, and with bad ones that are made of the good
 * ones. A recorded answer is about the family whose failures its condition matches most; a bad one that is made of it is
 * about the same family. What is claimed of the dossier's own value only counts where the call or its error names it.
 */
export async function recordedAnswers(
  name: string,
  { families, executions }: RecordedSet,
  { dossiers, lessons, hostile }: GivenAnswers['recorded'],
  { model, writer }: { readonly model: ReplayedModel; readonly writer: LessonWriter },
): Promise<WrittenAnswers> {
  const outcomes: AnswerOutcome[] = [];
  const written: WrittenFamily[] = [];
  const own = new Map(dossiers.filter(({ set }) => set === name).map((one) => [one.id, one]));
  const judge = async (answer: LessonAnswer, dossier: RecordedDossier, of: ExaminedFamily | undefined) => {
    if (of === undefined) return undefined;
    const learnedFrom = of.question?.learnedFrom ?? 'a';
    const question = {
      family: of.family.fingerprint,
      executions: of.family.evidence.counts().executions,
      learnedFrom,
      dossier: readableDossier(dossier),
    };
    const stored = await model.ask(question, answer, dossier.dossier);
    // figures and scope come from all rows, as those of the recorded answers
    const onRows = { ...of, halves: halvesOf(executions, { by: of.split }) };
    return judgedAnswer(writer, stored, onRows, claimedBy(of, dossier.value ?? undefined));
  };
  for (const row of lessons) {
    const dossier = own.get(row.family);
    if (dossier === undefined) continue;
    const answer = forShownArguments(answerOfRecorded(row, readableDossier(dossier)));
    const of = familyFor(answer, families);
    const judged = await judge(answer, dossier, of);
    outcomes.push(outcomeOf(row.id, answer, judged));
    if (of && judged) written.push({ of, learnedFrom: of.question?.learnedFrom ?? 'a', candidates: judged.counted });
    for (const { label, answer: bad } of hostileAnswersOf(answer))
      outcomes.push(outcomeOf(`${row.id} ${label}`, bad, await judge(bad, dossier, of), { label, own: true }));
  }
  for (const row of hostile) {
    const dossier = own.get(row.family);
    if (dossier === undefined) continue;
    const answer = forShownArguments(answerOfRecorded(row, readableDossier(dossier)));
    const judged = await judge(answer, dossier, familyFor(answer, families));
    outcomes.push(outcomeOf(row.id, answer, judged, { label: String(row.label), own: false }));
  }
  return { outcomes, written, unanswered: [] };
}

/** The family that an answer is about; of a refusal none is known, so that the first one is taken. */
function familyFor({ lesson }: LessonAnswer, families: readonly ExaminedFamily[]): ExaminedFamily | undefined {
  if (lesson === null) return families[0];
  const read = predicateOfAnswer(lesson.predicate);
  return 'predicate' in read ? familyOf(read.predicate, families) : families[0];
}
