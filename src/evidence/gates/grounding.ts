import { isKnownProgram, PROGRAM_NAMES } from '../../untrusted/danger/dangers-in-command.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { EvidenceText, PERCENTAGE, PLACEHOLDERS, plainEvidence } from './evidence-text.js';
import {
  explainingParts,
  type GatedLesson,
  type GateFinding,
  gateFinding,
  type LessonPart,
  partsOf,
} from './gated-lesson.js';

/** More spans than this in one part were not written for a reader. */
const MOST_SPANS = 300;

/** A span of a lesson that its evidence must hold. */
interface NamedSpan {
  readonly kind: 'flag' | 'number' | 'program' | 'name' | 'code' | 'percentage';
  readonly text: string;
}

/** Why a span is refused. */
const UNGROUNDED: Readonly<Record<NamedSpan['kind'], string>> = {
  flag: 'The option is not in the evidence.',
  number: 'The number is not in the evidence.',
  program: 'The program is not in the evidence.',
  name: 'The name is not in the evidence.',
  code: 'The code or quoted text is not in the evidence.',
  percentage: 'The percentage is not in the evidence.',
};

/**
 * Returns what a lesson says without evidence: options, programs, numbers and names in its cause, steps, action and the
 * recommended call that the text of its dossier does not hold; and percentages of the writer's own anywhere. A word is looked up as a whole and without case. Linear in the texts.
 */
export function ungroundedSpans(lesson: GatedLesson, dossierText: string): GateFinding[] {
  const evidence = new EvidenceText(dossierText);
  const explaining = explainingParts(lesson);
  return [
    ...explaining.flatMap((part) => ungroundedIn(part, evidence)),
    ...partsOf(lesson)
      .filter(({ part }) => !explaining.some((one) => one.part === part))
      .flatMap((part) => percentagesIn(part.text).map((span) => ({ ...part, span })))
      .filter(({ span }) => !holds(evidence, span))
      .map(({ part, span }) => finding(part, span.text, UNGROUNDED[span.kind])),
  ];
}

/** What a text names that its evidence does not hold, as the first finding; undefined if it names nothing else. */
export const ungroundedText = (text: string, evidence: string): GateFinding | undefined =>
  ungroundedIn({ part: 'text', text }, new EvidenceText(evidence))[0];

function ungroundedIn({ part, text }: LessonPart, evidence: EvidenceText): GateFinding[] {
  const spans = new Map(spansOf(text, part).map((span) => [`${span.kind} ${span.text.toLowerCase()}`, span]));
  if (spans.size > MOST_SPANS) return [finding(part, text, 'The text names too much to be checked.')];
  return [...spans.values()]
    .filter((span) => !holds(evidence, span))
    .map((span) => finding(part, span.text, UNGROUNDED[span.kind]));
}

function holds(evidence: EvidenceText, { kind, text }: NamedSpan): boolean {
  if (kind === 'percentage') return evidence.holdsPercentage(text);
  // `python3` is Python 3
  return (
    evidence.holdsWord(text) || (/^\d$/.test(text) && evidence.holdsDigitOfName(text)) || isKeyPath(evidence, text)
  );
}

/** Keys of arguments within each other: `query.size` for `{"query":{"size":5}}`. */
const isKeyPath = (evidence: EvidenceText, text: string): boolean =>
  /^[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,5}$/.test(text) &&
  text.split('.').every((key) => evidence.holdsVerbatim(`"${key}":`));

const finding = gateFinding('grounding', 'refuse');

const CODE = /`([^`\n]{1,600})`/g;
const QUOTED = /(?<![\w\\])(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'(?!\w)|“([^”\n]{1,200})”)/g;
/** Marks between words of code; names hold none of them. */
const MARKS = /[\s=(),;|&'"`{}[\]<>“”*]+/;
function percentagesIn(text: string): NamedSpan[] {
  return [...text.matchAll(PERCENTAGE)].map(([found]) => ({
    kind: 'percentage',
    text: found.replace(/\s?(?:percent|per cent)$/i, '%'),
  }));
}

function spansOf(text: string, part: string): NamedSpan[] {
  const plain = plainEvidence(text).replace(PLACEHOLDERS, ' ');
  const code = [...plain.matchAll(CODE), ...plain.matchAll(QUOTED)].map((found) => found.slice(1).find(Boolean) ?? '');
  const prose = plain.replace(/^\s{0,9}\d{1,2}[.)]\s/, ' ');
  const percentages = percentagesIn(plain);
  const ofPercentages = new Set(percentages.map((span) => span.text.replace(/[\s%]/g, '')));
  return [
    ...percentages,
    ...code.flatMap(wordsOf).map((word) => ({ kind: kindOf(word) ?? 'code', text: word })),
    ...wordsOf(prose).flatMap((word) => {
      const kind = kindOf(word);
      return kind && !(kind === 'number' && ofPercentages.has(word)) ? [{ kind, text: word }] : [];
    }),
    ...programsIn(plain),
    ...(part === 'example.after' ? commandsIn(plain) : []),
  ];
}

const wordsOf = (text: string): string[] =>
  text
    .split(MARKS)
    .map((word) => word.replace(/^[.:!?#$@~/\\+]{1,20}(?=\w)|[.:!?/\\]{1,20}$/g, ''))
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^(?:e\.g|i\.e|etc|vs)$/i.test(word));

/** What a word names; undefined for a word of a sentence. */
function kindOf(word: string): NamedSpan['kind'] | undefined {
  if (/^--?[A-Za-z]/.test(word)) return 'flag';
  if (/^\d+(?:[.,:]\d+){0,10}$/.test(word)) return 'number';
  if (/^\d{1,3}(?:st|nd|rd|th)$/i.test(word)) return undefined;
  if (/[_@]|::|[A-Za-z]\d|\d[A-Za-z]/.test(word)) return 'name';
  // names of products are words of a sentence: "JavaScript"
  if (/^[a-z]{2,}[A-Z]/.test(word) || /[a-z](?:Error|Exception|Warning)$/.test(word)) return 'name';
  // a file, a module or a path; not two words with a stroke between them
  if (/\w\.\w{2}|\w\.\w\w*[./]/.test(word) || (word.includes('/') && !/^[A-Za-z]+(?:\/[A-Za-z]+)?$/.test(word)))
    return 'name';
  return undefined;
}

const WORDS_TOO =
  /^(?:go|make|find|install|service|trust|security|mix|fly|agent|vault|node|black|snap|bundle|http|java|q|coverage)$/;
/** Without programs whose names are words of a sentence. */
const PROGRAMS: ReadonlySet<string> = new Set(PROGRAM_NAMES.filter((name) => !WORDS_TOO.test(name)));
const USED = /\b(?:run|use|using|install|call|execute|invoke|launch|start|try|with|via)\s{1,3}([a-z][\w.+-]{1,40})/gi;

/** Programs that a sentence tells the reader to use. */
function programsIn(text: string): NamedSpan[] {
  return [...text.matchAll(USED)]
    .map(([, word = '']) => word.replace(/\.$/, '').toLowerCase())
    .filter((word) => PROGRAMS.has(word))
    .map((word) => ({ kind: 'program', text: word }));
}

/** All words of commands with a known program. */
function commandsIn(text: string): NamedSpan[] {
  return parseCommandLine(text)
    .filter(({ words }) => isKnownProgram(words[0]?.text ?? ''))
    .flatMap(({ words }) => words.slice(0, MOST_SPANS).flatMap((word) => wordsOf(word.text)))
    .map((word) => ({ kind: kindOf(word) ?? 'code', text: word }));
}
