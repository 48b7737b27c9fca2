import type { LessonExample } from '../../src/evidence/calls/lesson-parts.schema.js';

/** One text of a lesson. `recommends`: a call in it is advice, unless its own words say that it failed. */
export interface LessonPart {
  readonly text: string;
  readonly recommends: boolean;
}

/** A proposal or a private lesson, with everything that a reader of it sees. */
export interface JudgedLesson {
  readonly kind: 'proposal' | 'lesson';
  readonly title: string;
  readonly parts: readonly LessonPart[];
  readonly example: LessonExample | undefined;
  /** The rendered file; empty for a private lesson. */
  readonly file: string;
}

/** A call, a word of one, or another literal that a lesson shows. */
export interface Span {
  readonly text: string;
  /** `recommended` is advice; `failing` is marked as what failed; `error` is a message; `other` describes. */
  readonly role: 'recommended' | 'failing' | 'error' | 'other';
  /** Set where the lesson names the tool of the call. */
  readonly tool?: string;
}

const FAILING_BEFORE =
  /(?:instead of|rather than|in place of|without|not(?: to)?(?: run| use| repeat| call| send| retry)?|never(?: run| use| repeat)?|repeating|repeat|fail(?:ed|ing|s)?(?: call| command)?:?|after|did not work:?|where you would (?:write|run|use|call))\s*$/i;
const FAILING_AFTER =
  /^\s*(?:\([^)]{0,80}\)\s*)?(?:unchanged|again unchanged|(?:has |have |just |it )*fail(?:s|ed|ing)\b|did not work|does not work|seldom helps)/i;
const ERROR_BEFORE =
  /(?:fail(?:s|ed|ing)? (?:with|by)|error|message|class|exception|says|said|saying|reports?|answers?|answered|ended in|prints?|printed)(?: is| was)?:?\s*$/i;
/** The beginning of a sentence up to a span in its condition, such as "Use when about to run". */
const CONDITION =
  /^\W{0,6}(?:\d+\. )?(?:use |applies )?(?:when|if|before|once|whenever)\b(?:(?![.:;](?:\s|$)|, (?:run|use|switch|call|write|set|add|try|look|see|leave|keep|find|check|do|send|give|pass)\b).){0,400}$/i;
/** A heading or label above a block that does not recommend it. */
const FAILING_LABEL = /\b(?:fail(?:s|ed|ing|ure)?|instead of|did not work|do not|wrong|avoid|not this)\b/i;
const ERROR_LABEL = /^#\s*with\b|\b(?:error|message|printed|said|says|answered|answer|output)\b/i;
const SECTIONS_WITHOUT_ADVICE =
  /\b(?:when|why|cause|gotcha|gotchas|provenance|evidence|environment|seen|failed|reviewer|figures)\b/i;

/** The spans of all parts, of the example and of the file, each once. */
export function spansOf(lesson: JudgedLesson): Span[] {
  const spans = [
    ...lesson.parts.flatMap(({ text, recommends }) => spansIn(text, recommends)),
    ...fileSpans(lesson.file),
    ...exampleSpans(lesson.example),
  ];
  // the one of the example comes later and names its tool, so that it is judged as a whole call
  const known = new Map(spans.map((span) => [`${span.role}\n${span.text}`, span]));
  return [...known.values()];
}

/** The code spans of a text, in backticks or in single quotes. Text in double quotes is a message or a title. */
export function spansIn(text: string, recommends: boolean): Span[] {
  const spans: Span[] = [];
  for (const found of text.matchAll(/(`{1,3})([^`\n]{1,1000})\1|(?<![\w"])'([^'\n]{1,600})'(?![\w"])/g)) {
    const [whole, , inBackticks, inQuotes] = found;
    const before = sentenceBefore(text, found.index);
    const after = text.slice(found.index + whole.length, found.index + whole.length + 60);
    // a quote inside double quotes belongs to a message
    if (inQuotes !== undefined && (text.slice(0, found.index).split('"').length - 1) % 2 === 1) continue;
    const content = (inBackticks ?? inQuotes ?? '').trim();
    if (content !== '') spans.push({ text: content, role: roleOf(before, after, recommends) });
  }
  return spans;
}

function roleOf(before: string, after: string, recommends: boolean): Span['role'] {
  if (ERROR_BEFORE.test(before)) return 'error';
  if (FAILING_BEFORE.test(before) || FAILING_AFTER.test(after)) return 'failing';
  return recommends && !CONDITION.test(before) ? 'recommended' : 'other';
}

/** The sentence up to a position, with its quoted texts as they are. */
function sentenceBefore(text: string, at: number): string {
  const start = text.slice(Math.max(0, at - 400), at);
  return start.split(/(?<=[.!?]["')]?)\s+(?=[A-Z`])/).at(-1) ?? start;
}

function exampleSpans(example: LessonExample | undefined): Span[] {
  if (example === undefined) return [];
  const worked = [...example.between, ...(example.worked ? [example.worked] : [])];
  return [
    { text: example.failed.call, tool: example.failed.tool, role: 'failing' },
    ...worked.map(({ tool, call }): Span => ({ text: call, tool, role: 'recommended' })),
  ];
}

/** The spans of a rendered file: its description, and its sections by their headings. */
export function fileSpans(file: string): Span[] {
  const spans: Span[] = [];
  let section: string | undefined;
  let label = '';
  let fence: string | undefined;
  const description = /^description: (.*)$/m.exec(file)?.[1] ?? '';
  if (description !== '') spans.push(...spansIn(unquoted(description), true));
  for (const line of bodyOf(file).split('\n')) {
    const fenceHere = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (fenceHere !== undefined && line.trim() === fence) fence = undefined;
      // a comment in a block says what its next lines are
      else if (/^#\s*[A-Za-z]/.test(line)) label = line;
      else if (line.trim() !== '') spans.push(blockSpan(line.trim(), section, label));
      continue;
    }
    if (fenceHere !== undefined) fence = fenceHere;
    else if (line.startsWith('#')) {
      section = line.replace(/^#+\s*/, '');
      label = '';
      if (line.startsWith('# ')) spans.push(...spansIn(section, true));
    } else if (line.trim() !== '') {
      label = line.trim();
      const advises = !SECTIONS_WITHOUT_ADVICE.test(section ?? '');
      spans.push(...spansIn(line, advises && !isFailingLabel(line)));
    }
  }
  return spans;
}

/** A line such as `Failed: …` or `- It failed with …`. */
const isFailingLabel = (line: string): boolean =>
  /^\W{0,6}(?:failed|failing|error|it failed|what failed|instead of)\b/i.test(line);

function blockSpan(text: string, section: string | undefined, label: string): Span {
  if (ERROR_LABEL.test(label) && !/\bwork(?:s|ed)\b/i.test(label)) return { text, role: 'error' };
  if (FAILING_LABEL.test(label) && !/\bwork(?:s|ed)\b/i.test(label)) return { text, role: 'failing' };
  return { text, role: SECTIONS_WITHOUT_ADVICE.test(section ?? '') ? 'other' : 'recommended' };
}

const bodyOf = (file: string): string => file.replace(/^---\n[\s\S]*?\n---\n/, '');

function unquoted(value: string): string {
  return value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replaceAll('\\"', '"') : value;
}
