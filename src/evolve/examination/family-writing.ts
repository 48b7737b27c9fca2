import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import { dossierOf } from '../dossiers/dossier-builder.js';
import type { Family } from '../evidence/candidate.js';
import type { Halves } from '../evidence/halves.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import type { LessonWriter, WriterSample, Writing } from '../writers/lesson-writer.js';

/** A writer that has to be asked, and what it has answered, by the fingerprint of the family. */
export interface AskedWriter {
  readonly writer: LessonWriter;
  readonly answers: ReadonlyMap<string, FamilyAnswer>;
}

/** What is needed to let a writer write about a family. */
export interface WritingInput {
  readonly family: Family;
  readonly isMember: (call: RecordedCall) => boolean;
  readonly halves: Halves<RecordedExecution>;
  readonly split: 'origin' | 'time';
}

/** What there is to ask about a family, and what came of its answer. */
export interface FamilyWriting {
  readonly question?: FamilyQuestion;
  readonly writing?: Writing & { readonly heldOut: 'a' | 'b'; readonly answer: FamilyAnswer };
}

/**
 * The question to a writer about one half of a family, and what it wrote if its answer is known: from the half that the
 * answer was learned from, so that the other half checks it.
 */
export function familyWriting(input: WritingInput, { writer, answers }: AskedWriter): FamilyWriting {
  const { family } = input;
  const question = writer.question(writerSample(input, learningHalf(input)), family.evidence.executionIds.size);
  const answer = answers.get(family.fingerprint);
  if (!answer) return question ? { question } : {};
  const writing = writer.write(writerSample(input, answer.learnedFrom), answer);
  return {
    ...(question ? { question } : {}),
    writing: { ...writing, heldOut: answer.learnedFrom === 'a' ? 'b' : 'a', answer },
  };
}

/** The half with more executions that failed; of one project the earlier one, since only later executions check it. */
function learningHalf({ isMember, halves, split }: WritingInput): 'a' | 'b' {
  const failing = (half: readonly RecordedExecution[]): number =>
    half.filter(({ calls }) => calls.some(isMember)).length;
  return split === 'origin' && failing(halves.b) > failing(halves.a) ? 'b' : 'a';
}

function writerSample({ family, isMember, halves }: WritingInput, learnedFrom: 'a' | 'b'): WriterSample {
  const executions = halves[learnedFrom];
  return { family, isMember, executions, learnedFrom, dossier: dossierOfHalf(family, isMember, executions) };
}

const dossierOfHalf = (
  family: Family,
  isMember: WritingInput['isMember'],
  executions: readonly RecordedExecution[],
): WriterSample['dossier'] =>
  dossierOf({ family, isMember, executions, ...(family.value === undefined ? {} : { value: family.value }) });
