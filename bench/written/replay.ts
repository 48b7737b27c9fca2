import type { LessonWriter } from '../../src/evolve/writers/lesson-writer.js';
import type { MeasuredSet } from '../transfer/measure-set.js';
import type { WrittenAnswers } from './answer-outcome.js';
import { committedAnswers } from './committed-answers.js';
import type { GivenAnswers } from './given-answers.js';
import { measureWritten, type WrittenFigures } from './measure-written.js';
import { recordedAnswers } from './recorded-answers.js';
import type { ReplayedModel } from './replayed-model.js';

/** A set with what a model wrote about it. */
export interface ReplayedSet extends WrittenAnswers {
  readonly name: string;
  /** The dossiers were built from all rows of the set. */
  readonly inSample: boolean;
  readonly figures: WrittenFigures;
}

export interface Replaying {
  readonly given: GivenAnswers;
  readonly model: ReplayedModel;
  readonly writer: LessonWriter;
  readonly draws: number;
  readonly seed: number;
}

/** Replays the answers that are given for a set, and measures what they add; undefined if there are none. */
export async function replaySet(
  name: string,
  { measured, families }: MeasuredSet,
  { given, model, writer, draws, seed }: Replaying,
): Promise<ReplayedSet | undefined> {
  const committed = given.bySet.get(name);
  const inSample = given.recorded.dossiers.some(({ set }) => set === name);
  if (committed === undefined && !inSample) return undefined;
  const asked = { model, writer };
  const found =
    committed === undefined
      ? await recordedAnswers(
          name,
          { families, executions: measured.map(({ recorded }) => recorded) },
          given.recorded,
          asked,
        )
      : await committedAnswers(families, committed, asked);
  const isRecorded = committed === undefined;
  const figures = measureWritten({ measured, families, written: found.written, inSample: isRecorded, draws, seed });
  return { name, inSample: isRecorded, figures, ...found };
}
