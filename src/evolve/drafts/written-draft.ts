import { isSpanOf } from '../../evidence/calls/observed-spans.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { evidenceOfDossier } from '../../evidence/gates/dossier-evidence.js';
import type { LessonExample, ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { isExampleObserved } from '../../evidence/parts/observed-example.js';
import { skillSlug } from '../../skills/document/slug.js';
import { type CaseForms, caseFormsOf, isWorked } from '../cases/case-forms.js';
import type { PredicateCase } from '../cases/predicate-cases.js';
import { environmentOf } from '../dossiers/shared-environment.js';
import type { Lesson } from '../examination/lesson.js';
import { observedCallsOf } from '../writers/dossier-calls.js';
import type { WrittenWords } from '../writers/lesson-writer.js';
import { type Draft, type DraftIdentity, uniqueName } from './draft.js';
import { clipAtWord } from './plain-text.js';
import { tagsOf } from './wording.js';

/** A lesson with the words of a model, and the cases that show it. */
export interface WrittenLesson {
  readonly lesson: Lesson;
  readonly words: WrittenWords;
  readonly cases: readonly PredicateCase[];
}

/** The lengths of a proposal's texts. A text that would have to be cut is no text of its writer any more. */
const LONGEST = { title: 150, text: 2_000, step: 500, cause: 600, error: 300 } as const;
const MOST = { gotchas: 10, calls: 40 } as const;

/**
 * Words a lesson as its writer did. Name, description, action, tags and environment are made by rules; the example and all
 * calls are those of the evidence. Returns undefined without a call that shows the remedy, for a remedy that teaches
 * nothing, or for a step that is too long. `names`: the names taken in this cycle.
 */
export function writtenDraft(
  identity: DraftIdentity,
  { lesson, words, cases }: WrittenLesson,
  names: Set<string>,
): Draft | undefined {
  const { evidence, fingerprint } = identity;
  const answer = lesson.findings.writing?.answer;
  const forms = caseFormsOf(cases, evidence.template);
  if (!answer || words.steps.some((step) => step.length > LONGEST.step)) return undefined;
  const calls = callsOf(observedCallsOf(answer.dossier), words, forms);
  if (calls.worked.length === 0) return undefined;
  const worked = cases.filter(isWorked);
  const environment = environmentOf(worked.length > 0 ? worked : cases);
  const example = exampleOf(words, calls) ?? forms?.example;
  const condition = conditionOf(lesson, words);
  const { title, cause, steps, gotchas } = words;
  const { by, other } = lesson.main;
  return {
    ...identity,
    text: {
      name: uniqueName(names, skillSlug(title), fingerprint),
      title: clipAtWord(title, LONGEST.title),
      discovery: discoveryOf(condition, title),
      condition,
      // The steps follow it in the file, and say how.
      action: asSentence(title),
      rationale: `It overcame this failure for agents on independent tasks.${cause === null ? ' Why is not known.' : ''}`,
      steps: [...steps],
      gotchas: gotchas.filter((gotcha) => gotcha.length <= LONGEST.step).slice(0, MOST.gotchas),
      tags: tagsOf(evidence, evidence.failingAction),
      confidence: evidence.confidence.value,
      ...(cause !== null && cause.length <= LONGEST.cause ? { cause } : {}),
      ...(environment.length > 0 ? { environment } : {}),
      ...(example ? { example } : {}),
    },
    calls,
    writer: { by, answer: answer.hash, confidence: words.confidence, other: other ?? null },
    learnedFrom: evidenceOfDossier(answer.dossier, answer.shown).dossierText,
  };
}

/** The conditions of all families that the lesson is about. */
function conditionOf({ members }: Lesson, words: WrittenWords): string {
  const all = new Set([words.condition, ...members.flatMap(({ candidate }) => candidate.words?.condition ?? [])]);
  const joined = [...all].join(' Or: ');
  return joined.length <= LONGEST.text ? joined : words.condition;
}

/** "When a script fails." becomes "Use when a script fails. <title>." */
function discoveryOf(condition: string, title: string): string {
  const when = condition.replace(/^(?:use )?(?:when|if|whenever|after)\s{1,3}/i, '');
  const [first = ''] = when.split(' ');
  const isName = /[A-Z].*[A-Z]|[^A-Za-z]/.test(first);
  const inside = isName ? when : `${when.charAt(0).toLowerCase()}${when.slice(1)}`;
  const whole = `Use when ${asSentence(inside)} ${asSentence(title)}`;
  return whole.length <= 600 ? whole : clipAtWord(`Use when this applies: ${asSentence(title)}`, 600);
}

const asSentence = (text: string): string => (/[.!?]["')`]?$/.test(text) ? text : `${text}.`);

/** The calls that the writer saw, and those of the cases; first what the example and the steps show. */
function callsOf(seen: ObservedCalls, { example, steps }: WrittenWords, forms: CaseForms | undefined): ObservedCalls {
  const shown = example
    ? [example.worked, ...example.between].filter(({ ok }) => ok === true).map(({ call }) => call)
    : [];
  const named = seen.worked.filter((call) => steps.some((step) => namesCall(step, call)));
  return {
    worked: distinct([...shown, ...named, ...(forms?.calls.worked ?? []), ...seen.worked]),
    failed: distinct([...(example ? [example.failed.call] : []), ...(forms?.calls.failed ?? []), ...seen.failed]),
  };
}

const namesCall = (step: string, call: ShownCall): boolean =>
  [...step.matchAll(/`([^`\n]{1,600})`/g)].some(([, code = '']) => isSpanOf(code.trim(), [call]));

const distinct = (calls: readonly ShownCall[]): ShownCall[] =>
  [...new Map(calls.map((call): [string, ShownCall] => [JSON.stringify([call.tool, call.call]), call])).values()].slice(
    0,
    MOST.calls,
  );

/** The example that the writer chose by its number, with the evidence's text. */
function exampleOf({ example }: WrittenWords, calls: ObservedCalls): LessonExample | undefined {
  const error = example?.failed.error?.trim();
  if (!example || !error) return undefined;
  const shown: LessonExample = {
    failed: example.failed.call,
    error: clipAtWord(error, LONGEST.error),
    between: example.between
      .filter(({ ok }) => ok === true)
      .slice(-3)
      .map(({ call }) => call),
    worked: example.worked.call,
  };
  return isExampleObserved(shown, calls) ? shown : undefined;
}
