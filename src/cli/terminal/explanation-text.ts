import { predicateOfAnswer } from '../../evidence/answers/answered-predicate.js';
import type { AnsweredLesson, LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { predicateInWords } from '../../evidence/predicate/predicate-words.js';
import type { FamilyExplanation } from '../../evolve/explanation/family-explanation.schema.js';
import { dropText, familyText, pairText } from './candidate-text.js';
import { formatCount, oneLine } from './terminal.js';

const UNANSWERED: Readonly<Record<NonNullable<FamilyExplanation['unanswered']>, string>> = {
  rules_only: 'No model was asked: none is configured, so rules wrote.',
  one_origin: 'No model is asked: all executions are of one task, whose values may be those of one person.',
  nothing_to_show: 'No model is asked: the dossier has no example and no contrast that may be shown.',
  passes: 'No model is asked: repeating the same call overcomes it.',
  waiting: 'The model has not answered yet: it waits for a batch, or for the next cycle with room in the budgets.',
};

/** What led to the lessons about a family, as lines of a terminal; text from elsewhere is escaped. */
export function explanationLines(found: FamilyExplanation): string[] {
  const { family, cycle, candidates, proposals } = found;
  return [
    oneLine(
      `${familyText(family)}: ${formatCount(family.failures, 'failure')} in ${formatCount(family.executions, 'execution')} of ${formatCount(family.agents, 'agent')}`,
    ),
    oneLine(`family ${family.fingerprint}, cycle ${cycle.id} of ${cycle.finishedAt}`),
    ...section('Dossier of all examined executions', found.dossier.split('\n')),
    ...promptLines(found),
    ...section('Answer', answerLines(found)),
    ...section('Gates', gateLines(found)),
    ...section(
      'Candidates',
      candidates.length === 0
        ? ['None: nothing in these executions could be a lesson.']
        : candidates.flatMap(candidateLines),
    ),
    ...section(
      'Proposals',
      proposals.length === 0
        ? ['None.']
        : proposals.map(
            ({ id, title, state, writer, reason }) =>
              `${state}: ${title} (by ${writer}, ${id})${reason === null ? '' : `: ${reason}`}`,
          ),
    ),
  ];
}

const section = (title: string, lines: readonly string[]): string[] => [
  '',
  `${title}:`,
  ...lines.map((line) => `  ${oneLine(line)}`),
];

function promptLines({ prompt, answer, model }: FamilyExplanation): string[] {
  if (!prompt) return section('Prompt', ['None: no model may see this family.']);
  const asked = answer
    ? `asked by ${answer.by}`
    : model === null
      ? 'what a model would be asked'
      : `what ${model} would be asked`;
  return [
    ...section(`Prompt, system (${asked})`, prompt.system.split('\n')),
    ...section('Prompt, user', prompt.user.split('\n')),
  ];
}

function answerLines({ answer, unanswered }: FamilyExplanation): string[] {
  // A newer server may know reasons that this program does not.
  if (!answer) return [unanswered === null ? 'None.' : (UNANSWERED[unanswered] ?? unanswered)];
  const { by, hash, askedAt, executions, learnedFrom, rewritten } = answer;
  return [
    `by ${by}, ${askedAt}, of half ${learnedFrom}, at ${formatCount(executions, 'execution')}${rewritten ? ', with a second predicate' : ''}`,
    hash,
    ...saidLines(answer.answer),
  ];
}

function saidLines(answer: LessonAnswer | null): string[] {
  if (answer === null) return ['It cannot be read; the family is asked about again when it has doubled.'];
  const { lesson, refusal } = answer;
  if (refusal) return [`no lesson, ${refusal.kind}: ${refusal.reason}`];
  return lesson ? lessonLines(lesson) : [];
}

function lessonLines({
  title,
  condition,
  cause,
  steps,
  gotchas,
  quotes,
  confidence,
  predicate,
  example,
}: AnsweredLesson): string[] {
  return [
    `lesson (confidence ${confidence}): ${title}`,
    `when: ${condition}`,
    ...(cause === '' ? [] : [`cause: ${cause}`]),
    ...steps.map((step, at) => `step ${at + 1}: ${step}`),
    ...gotchas.map((gotcha) => `gotcha: ${gotcha}`),
    `example ${example.number}, call that worked ${example.worked}`,
    ...quotes.map((quote) => `quote: ${quote}`),
    ...predicateLines(predicate),
  ];
}

function predicateLines(answered: AnsweredLesson['predicate']): string[] {
  const read = predicateOfAnswer(answered);
  return 'problem' in read ? [`predicate: ${read.problem}`] : predicateInWords(read.predicate);
}

function gateLines({ gates }: FamilyExplanation): string[] {
  if (!gates) return ['Nothing to judge.'];
  const { declined, findings, problem, removed, passed } = gates;
  return [
    ...(declined === null ? [] : [`Declined: ${declined}`]),
    ...findings.map(({ gate, part, text, reason, severity }) => `${severity}, ${gate} of ${part}: ${reason} ${text}`),
    ...(problem === null ? [] : [`Predicate: ${problem}`]),
    ...removed.map((step) => `Removed, because its command was not observed: ${step}`),
    ...(passed ? ['It became a candidate, and was checked on the other half.'] : []),
    ...(passed || declined !== null || findings.length > 0 || problem !== null ? [] : ['There is nothing to check.']),
  ];
}

function candidateLines(row: FamilyExplanation['candidates'][number]): string[] {
  return [
    `${row.verdict}, by ${row.by}: ${row.title ?? row.action}`,
    ...row.words.map((line) => `  ${line}`),
    `  ${pairText(row)}; examined with ${formatCount(row.examined, 'execution')}`,
    `  ${dropText(row)}`,
    ...(row.other
      ? [`  won against ${row.other.by}, ${row.other.verdict}: ${row.other.label}; ${pairText(row.other)}`]
      : []),
    ...row.findings.map((finding) => `  finding: ${finding}`),
  ];
}
