import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import type { ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import { isSpanOf, unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { EvidenceText } from '../../evidence/gates/evidence-text.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { withoutBrackets } from './lesson-text.js';

/** What a lesson may name: the calls of one execution, and what it may quote. */
export interface LessonLaw extends ObservedCalls {
  /** All that the execution says. */
  readonly quotable: EvidenceText;
}

/** The law of a payload: its calls, without those that worked only because they skip a check. */
export function lawOf(payload: AnalysisPayload, dossierText: string): LessonLaw {
  // A quotation has no quotation marks within it, and none in a description has brackets.
  const quotable = new EvidenceText(`${dossierText}\n${withoutBrackets(dossierText)}`.replace(/["`]/g, "'"));
  return { ...observedCalls(payload.calls, payload.obstacles), quotable };
}

function observedCalls(calls: AnalysisPayload['calls'], obstacles: readonly Obstacle[]): ObservedCalls {
  const shown = calls.flatMap(({ tool, call, ok, skipsCheck }) =>
    call === undefined || skipsCheck === true ? [] : [{ ok, call: { tool, call } }],
  );
  const overcome = obstacles.filter(({ outcome }) => outcome === 'overcome');
  return {
    worked: [
      ...shown.filter(({ ok }) => ok).map(({ call }) => call),
      ...overcome.flatMap(({ worked, between }) => [...between, ...(worked ? [worked] : [])]),
    ],
    failed: [
      ...shown.filter(({ ok }) => !ok).map(({ call }) => call),
      ...obstacles.flatMap(({ failed, attempts }) => [...attempts, ...(failed ? [failed] : [])]),
    ],
  };
}

/**
 * The lesson without what no observed call supports: each recommended command is an instance of a call that worked, and
 * a failed call stands only where it is marked as failing. Undefined if the action or all steps recommend something
 * else.
 */
export function lawfulLesson(lesson: Lesson, observed: LessonLaw): Lesson | undefined {
  const { cause, activation, ...rest } = lesson;
  const recommends = (text: string): boolean => isLawful(text, observed, 'recommends');
  const describes = (text: string): boolean => isLawful(text, observed, 'describes');
  const steps = lesson.steps.filter(recommends);
  const { condition, action } = activation;
  const rationale = withoutFailingSpans(activation.rationale, observed);
  const discovery = withoutFailingSpans(lesson.discovery, observed);
  if (steps.length === 0 || ![action, rationale, discovery].every(recommends) || !describes(condition))
    return undefined;
  return {
    ...rest,
    discovery: withoutBrackets(discovery),
    activation: { condition, action, rationale },
    steps,
    ...(cause !== undefined && describes(cause) ? { cause } : {}),
  };
}

/** A text may recommend calls that worked; one that describes a failure may also name failed ones. */
function isLawful(text: string, observed: LessonLaw, use: 'recommends' | 'describes'): boolean {
  if (use === 'describes') return unobservedCommands(text, observed, 'anywhere').length === 0;
  return (
    unobservedCommands(text, observed).length === 0 &&
    partsOf(text).every(({ kind, part }) => kind === 'code' || namesNoUnknownFlag(part, observed))
  );
}

interface TextPart {
  readonly kind: 'prose' | 'code';
  readonly part: string;
  /** The prose right before it. */
  readonly before: string;
}

function partsOf(text: string): TextPart[] {
  const pieces = text.split('`');
  return pieces.map((part, n) => ({
    kind: n % 2 === 1 && n < pieces.length - 1 ? 'code' : 'prose',
    part,
    before: pieces[n - 1] ?? '',
  }));
}

/**
 * A command outside a code span shows by its flags and assignments: they occur in an observed call, or in a quotation of
 * what the execution printed.
 */
function namesNoUnknownFlag(prose: string, { worked, quotable }: LessonLaw): boolean {
  const quotations = prose.split('"').filter((_, n) => n % 2 === 1);
  const foreign = quotations.reduce(
    (text, quotation) => (quotable.holdsVerbatim(quotation.replace(/\.{3}$/, '')) ? text.replace(quotation, '') : text),
    prose,
  );
  const flags = foreign.split(/[\s"'(),;]+/).filter((word) => /^(?:--?[A-Za-z]|[A-Z_][A-Z0-9_]{2,60}=)/.test(word));
  return flags.every((flag) => worked.some(({ call }) => call.includes(flag.replace(/[.:!?]{1,3}$/, ''))));
}

/** A failed call in prose is a quotation, not a command to run. */
function withoutFailingSpans(text: string, { worked, failed }: ObservedCalls): string {
  return partsOf(text)
    .map(({ kind, part, before }, n, all) => {
      if (kind === 'prose') return n > 0 && all[n - 1]?.kind === 'prose' ? `\`${part}` : part;
      const isFailing = !isSpanOf(part, worked) && isSpanOf(part, failed) && !/\binstead of\s{0,3}$/i.test(before);
      return isFailing ? `"${part}"` : `\`${part}\``;
    })
    .join('');
}
