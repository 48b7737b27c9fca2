import type { GatedLesson } from './gated-lesson.js';

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
