import { predicateOfAnswer } from '../../evidence/answers/answered-predicate.js';
import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import type { AnsweredLesson } from '../../evidence/answers/lesson-answer.schema.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { evidenceOfDossier } from '../../evidence/gates/dossier-evidence.js';
import { EvidenceText } from '../../evidence/gates/evidence-text.js';
import { lintFindings } from '../../evidence/gates/lint.js';
import type { LessonWriter, WriterSample, Writing } from './lesson-writer.js';
import { isPlain, plainWords } from './plain-words.js';
import { sampleProblem } from './sample-check.js';
import { shownLesson } from './self-checks.js';
import { sayWhatIsCounted } from './step-words.js';
import { candidateOf } from './taught-names.js';
import { exampleFindings, gatedWords, predicateFindings } from './written-words.js';

const NOTHING: Writing = { candidates: [] };

/**
 * The writer that a language model is: what it answered to a dossier becomes a candidate if it passes self-checks,
 * grounding and lint. `name`: the provider, the model and the version of the prompt.
 */
export function modelWriter(name: string): LessonWriter {
  return {
    name,
    question: ({ family, dossier, learnedFrom }, executions): FamilyQuestion | null =>
      maySee(dossier) ? { family: family.fingerprint, executions, dossier, learnedFrom } : null,
    write: (sample, answer) => written(name, sample, answer),
  };
}

/**
 * Values of one task may be those of one person, whatever the redaction missed, so that no model sees a family of one
 * origin. A dossier without an example or a contrast shows nothing to learn from.
 */
export function maySee({ kind, origins, examples, inFailed, inWorked }: Dossier): boolean {
  if (origins < 2) return false;
  return kind === 'failure' ? examples.length > 0 : examples.length + inFailed.length + inWorked.length > 0;
}

function written(by: string, sample: WriterSample, asked: FamilyAnswer | undefined): Writing {
  if (!asked?.answer || (asked.answer.lesson && !hasFailures(sample))) return NOTHING;
  return writingOf(by, asked, sample);
}

/**
 * What the writer makes of an answer. Grounding and lint rest on the dossier of the answer alone; without a sample the
 * predicate is not tried on executions.
 */
export function writingOf(by: string, asked: FamilyAnswer, sample?: WriterSample): Writing {
  const { answer } = asked;
  if (answer?.refusal) {
    const { kind, reason } = answer.refusal;
    return { candidates: [], declined: { kind, reason: reasonOf(reason) } };
  }
  return answer?.lesson ? lessonOf(by, answer.lesson, asked, sample) : NOTHING;
}

/** A reason is shown to people only. */
function reasonOf(reason: string): string {
  const plain = plainWords(reason);
  const findings = lintFindings({ title: reason, condition: plain, steps: [], gotchas: [] });
  return isPlain(plain) && findings.every(({ severity }) => severity === 'limit')
    ? plain
    : 'The reason cannot be shown.';
}

/** Runs that went well and badly have no failures. */
const hasFailures = ({ dossier, isMember, executions }: WriterSample): boolean =>
  dossier.kind === 'runs' || executions.some(({ calls }) => calls.some(isMember));

function lessonOf(
  by: string,
  lesson: AnsweredLesson,
  { dossier, shown: text, hash }: FamilyAnswer,
  sample: WriterSample | undefined,
): Writing {
  const { words, findings } = gatedWords(lesson, dossier, text);
  const rejected = (problem: string): Writing => ({ candidates: [], rejected: { findings, problem } });
  if (!words) return { candidates: [], rejected: { findings } };
  const read = predicateOfAnswer(lesson.predicate);
  if ('problem' in read) return rejected(read.problem);
  const { predicate } = read;
  const hidden = predicateFindings(predicate);
  if (hidden.length > 0) return { candidates: [], rejected: { findings: hidden } };
  const evidence = new EvidenceText(evidenceOfDossier(dossier, text).dossierText);
  const checked = shownLesson(lesson, predicate, dossier, evidence);
  if ('problem' in checked) return rejected(checked.problem);
  const { shown } = checked;
  const dangers = shown ? exampleFindings(shown, dossier, text) : [];
  if (dangers.length > 0) return { candidates: [], rejected: { findings: dangers } };
  const unmatched = sample && sampleProblem(predicate, sample, shown !== null);
  if (unmatched !== undefined) return rejected(unmatched);
  const example = shown && { failed: shown.failed, between: [...shown.between], worked: shown.worked };
  const candidate = candidateOf(predicate, shown, words.title);
  if (!sayWhatIsCounted(words.steps, predicate, candidate, shown))
    return { candidates: [], rejected: { findings, problem: 'No step says what `follow` measures.' } };
  return { candidates: [{ ...candidate, by, words: { ...words, example }, answer: hash }] };
}
