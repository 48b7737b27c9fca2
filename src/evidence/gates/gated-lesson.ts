import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';

/** A lesson as the gates read it, of a person, a rule or a model. */
export interface GatedLesson {
  readonly title: string;
  readonly condition: string;
  readonly cause?: string;
  /** Why it helps. */
  readonly rationale?: string;
  readonly steps: readonly string[];
  readonly gotchas: readonly string[];
  readonly tags?: readonly string[];
  readonly action?: string;
  /** The call that failed, and the call that the lesson recommends. */
  readonly example?: { readonly before: string; readonly after: string };
}

/** Why a gate stops a lesson, or what the lesson must say besides. */
export interface GateFinding {
  readonly gate: 'grounding' | 'lint';
  /** Dotted path of the text, such as `steps.1`. */
  readonly part: string;
  /** The words that the gate objects to. */
  readonly text: string;
  readonly reason: string;
  /** `refuse`: the lesson must not be proposed. `limit`: it must say where it holds, and a reviewer sees why. */
  readonly severity: 'refuse' | 'limit';
}

/** Returns how findings of a gate are made. The words that it objects to are redacted and clipped. */
export const gateFinding =
  (gate: GateFinding['gate'], severity: GateFinding['severity']) =>
  (part: string, text: string, reason: string): GateFinding => ({
    gate,
    part,
    text: clip(redact(text).text, 200),
    reason,
    severity,
  });

export interface LessonPart {
  /** Dotted path, such as `steps.1`. */
  readonly part: string;
  readonly text: string;
}

const listed = (name: string, texts: readonly string[]): LessonPart[] =>
  texts.map((text, at) => ({ part: `${name}.${at}`, text }));
const single = (part: string, text: string | undefined): LessonPart[] => (text === undefined ? [] : [{ part, text }]);

const warningParts = ({ gotchas, tags = [] }: GatedLesson): LessonPart[] => [
  ...listed('gotchas', gotchas),
  ...listed('tags', tags),
];

/** All texts of a lesson that an agent or a reviewer reads. */
export function partsOf(lesson: GatedLesson): LessonPart[] {
  return [
    ...single('title', lesson.title),
    ...single('condition', lesson.condition),
    ...explainingParts(lesson),
    ...warningParts(lesson),
    ...single('example.before', lesson.example?.before),
  ];
}

/** What happened and what to do: the parts that must follow from the evidence. */
export function explainingParts({ cause, rationale, steps, action, example }: GatedLesson): LessonPart[] {
  return [
    ...single('cause', cause),
    ...single('rationale', rationale),
    ...listed('steps', steps),
    ...single('action', action),
    ...single('example.after', example?.after),
  ];
}

/** Everything that advises the reader: not the failure. */
export function advisingParts(lesson: GatedLesson): LessonPart[] {
  return [...single('title', lesson.title), ...explainingParts(lesson), ...warningParts(lesson)];
}
