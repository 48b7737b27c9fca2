import { isDeepStrictEqual } from 'node:util';
import type { AnsweredLesson } from '../../evidence/answers/lesson-answer.schema.js';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { evidenceOfDossier, type LessonEvidence } from '../../evidence/gates/dossier-evidence.js';
import { gateFinding } from '../../evidence/gates/gate-finding.js';
import type { GatedLesson, GateFinding } from '../../evidence/gates/gated-lesson.schema.js';
import { UNGROUNDED, ungroundedSpans } from '../../evidence/gates/grounding.js';
import { lintFindings, UNKNOWN_HOST } from '../../evidence/gates/lint.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import { advisingText, describingText } from './code-spans.js';
import { observedCallsOf } from './dossier-calls.js';
import type { WrittenWords } from './lesson-writer.js';
import { isPlain, plainWords } from './plain-words.js';
import type { ShownLesson } from './self-checks.js';

/** What grounding and lint leave of an answer. */
export interface GatedWords {
  /** Undefined if the answer is rejected. */
  readonly words?: Omit<WrittenWords, 'example'>;
  /** All findings, of the texts that were removed as well. */
  readonly findings: readonly GateFinding[];
}

const ungrounded = gateFinding('grounding', 'refuse');
const refused = gateFinding('lint', 'refuse');

/**
 * The texts of an answer that may be shown. What is said without evidence, and a command that was not seen to work, takes
 * a step or a gotcha out. The same in the title, the condition, the cause or a quote rejects the answer: a writer who
 * invents the cause is not believed in the rest. So does a lesson without a step, and whatever lint refuses anywhere, but for a
 * host that nothing shows. Percentages count only if the dossier has them.
 */
export function gatedWords(lesson: AnsweredLesson, dossier: Dossier, shown: string): GatedWords {
  const evidence = evidenceOfDossier(dossier, shown);
  const calls = observedCallsOf(dossier);
  const { title, condition, cause, steps, gotchas, quotes, confidence } = lesson;
  const gated: GatedLesson = { title, condition, steps, gotchas, quotes, ...(cause === '' ? {} : { cause }) };
  const plain = {
    title: advisingText(plainWords(title), calls, evidence),
    condition: describingText(plainWords(condition), calls),
    cause: describingText(plainWords(cause), calls),
    steps: steps.map((step) => advisingText(plainWords(step), calls, evidence)),
    gotchas: gotchas.map((gotcha) => advisingText(plainWords(gotcha), calls, evidence)),
  };
  const findings: GateFinding[] = [
    ...findingsOf(gated, evidence),
    // without its marks, a text may say something else
    ...findingsOf(plain, evidence),
    ...Object.entries(plain).flatMap(([part, texts]) =>
      [texts].flat().flatMap((text, at) => {
        const place = Array.isArray(texts) ? `${part}.${at}` : part;
        return isPlain(text) ? [] : [refused(place, text, NOT_PLAIN)];
      }),
    ),
    ...unobserved('title', plain.title, calls),
    ...(PROMISE.test(plain.title) ? [ungrounded('title', plain.title, TOO_SURE)] : []),
    ...plain.steps.flatMap((step, at) => [
      ...unobserved(`steps.${at}`, step, calls),
      ...flagsOfFailures(step, calls, dossier).map((flag) =>
        ungrounded(`steps.${at}`, flag, 'No call that worked has this option.'),
      ),
    ]),
    ...plain.gotchas.flatMap((gotcha, at) => unobserved(`gotchas.${at}`, gotcha, calls, 'anywhere')),
  ].filter(
    ({ severity }, at, all) => severity === 'refuse' && all.findIndex((one) => isDeepStrictEqual(one, all[at])) === at,
  );
  const isOut = (part: string): boolean => findings.some((found) => found.part === part);
  const keptOf = (part: string, texts: readonly string[]): string[] =>
    texts.filter((text, at) => text !== '' && !isOut(`${part}.${at}`));
  const kept = keptOf('steps', plain.steps);
  if (kept.length === 0 || plain.title === '' || plain.condition === '' || findings.some(rejects)) return { findings };
  return {
    findings,
    words: {
      title: plain.title,
      condition: plain.condition,
      cause: plain.cause === '' || PROMISE.test(plain.cause) ? null : plain.cause,
      steps: kept,
      gotchas: keptOf('gotchas', plain.gotchas),
      quotes: quotes.map(plainWords),
      confidence,
      removed: [...removedOf(plain.steps, kept), ...removedOf(plain.gotchas, keptOf('gotchas', plain.gotchas))],
    },
  };
}

/**
 * What grounding and lint say of texts. Notes advise, and are grounded as steps are. A title and a condition are too, but
 * for names and quoted words, which only describe.
 */
function findingsOf(lesson: GatedLesson, evidence: LessonEvidence): GateFinding[] {
  const { title, condition, gotchas } = lesson;
  const advice = { title: '', condition: '', steps: [title, condition, ...gotchas], gotchas: [] };
  const parts = ['title', 'condition', ...gotchas.map((_, at) => `gotchas.${at}`)];
  const inAdvice = ungroundedSpans(advice, evidence.dossierText).map((found) => ({
    ...found,
    part: parts[Number(found.part.replace('steps.', ''))] ?? found.part,
  }));
  return [
    ...lintFindings(lesson, evidence),
    ...ungroundedSpans(lesson, evidence.dossierText),
    ...inAdvice.filter(({ part, reason }) => part.startsWith('gotchas') || !DESCRIBING.has(reason)),
  ];
}

const DESCRIBING: ReadonlySet<string> = new Set([UNGROUNDED.code, UNGROUNDED.name]);

const NOT_PLAIN = 'Holds a code block, or characters other than ASCII.';

/** What counts cannot show. */
const PROMISE = /\b(?:always|never|guarantee[ds]?|certain|certainly|proven|verified|approved)\b/i;
const TOO_SURE = 'Says more than counts can show.';

const removedOf = (texts: readonly string[], kept: readonly string[]): string[] =>
  texts.filter((text) => text !== '' && isPlain(text) && !kept.includes(text));

/** A finding in one of several steps or gotchas takes only this out, unless it shows what its writer is up to. */
function rejects({ part, gate, reason }: GateFinding): boolean {
  if (!/^(?:steps|gotchas)\.\d/.test(part)) return true;
  return gate === 'lint' && reason !== UNKNOWN_HOST && reason !== NOT_PLAIN;
}

/** Commands in code spans that no call of the dossier shows to work. */
const unobserved = (part: string, text: string, calls: ObservedCalls, failing?: 'anywhere'): GateFinding[] =>
  unobservedCommands(text, calls, failing).map((command) =>
    ungrounded(part, command, 'The command was not seen to work.'),
  );

const LEAVES_OUT = /\b(?:without|leave|leaving|drop|omit|remove|instead of|not)\b/i;

/** Options outside of code that only failed calls have. */
function flagsOfFailures(step: string, { worked }: ObservedCalls, { inWorked, afterRecovered }: Dossier): string[] {
  if (LEAVES_OUT.test(step)) return [];
  const known = [...worked.map(({ call }) => call), ...[...inWorked, ...afterRecovered].map(({ word }) => word)];
  const flags = step
    .replace(/`[^`]{1,600}`/g, ' ')
    .split(/[\s"'(),;]+/)
    .filter((word) => /^--?[A-Za-z]/.test(word))
    .map((word) => word.replace(/[.:!?]{1,3}$/, ''));
  return flags.filter((flag) => !known.some((text) => text.includes(flag)));
}

/** The patterns of a predicate are shown to reviewers as well. */
export function predicateFindings(predicate: Predicate): GateFinding[] {
  const texts = textsOf(predicate);
  return texts.flatMap((text) => [
    ...(/[^\x20-\x7e]/.test(text) ? [refused('predicate', text, 'Holds characters other than ASCII.')] : []),
    ...redact(text).redactions.map(({ rule }) => refused('predicate', `[REDACTED:${rule}]`, 'Holds a secret.')),
    ...suspicions(text)
      .filter(({ kind }) => TO_THE_READER.has(kind))
      .map(() => refused('predicate', text, 'Addresses its reader.')),
  ]);
}

const TO_THE_READER: ReadonlySet<string> = new Set([
  ...['override', 'role-marker', 'persona', 'addressed-to-reader', 'reviewer-bait', 'prompt-probe'],
  ...['download-and-run', 'data-upload', 'hidden-characters', 'mixed-script'],
]);

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** What lint says about the evidence's own example: a lesson must not teach a dangerous call because it worked once. */
export function exampleFindings({ failed, worked }: ShownLesson, dossier: Dossier, shown: string): GateFinding[] {
  const example = { before: callText(failed.call), after: callText(worked.call) };
  const lesson: GatedLesson = { title: '', condition: '', steps: [], gotchas: [], example };
  return lintFindings(lesson, evidenceOfDossier(dossier, shown)).filter(({ severity }) => severity === 'refuse');
}
