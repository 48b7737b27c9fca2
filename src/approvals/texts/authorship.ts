import type { EnvironmentFact, LessonExample } from '../../evidence/calls/lesson-parts.schema.js';
import type { Binding } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';

/** The parts of a proposed skill that a person may write. A list is compared entry by entry. */
export const WRITTEN_PARTS = [
  'title',
  'discovery',
  'condition',
  'binding',
  'cause',
  'environment',
  'action',
  'rationale',
  'steps',
  'example',
  'gotchas',
] as const;
export type WrittenPart = (typeof WRITTEN_PARTS)[number];

/** The texts of a proposed skill (`ProposedSkill`). */
export interface SkillTexts {
  readonly title: string;
  readonly discovery: string;
  readonly condition: string;
  readonly action: string;
  readonly rationale: string;
  readonly steps: string[];
  readonly gotchas: string[];
  readonly cause?: string | undefined;
  readonly binding?: Binding | undefined;
  readonly environment?: readonly EnvironmentFact[] | undefined;
  readonly example?: LessonExample | undefined;
  /** No text: the file holds its hash. */
  readonly predicate?: Predicate | undefined;
}

/** One text of a proposed skill, with its part and its number in a list, from 1; 0 outside of lists. */
interface WrittenText {
  readonly part: WrittenPart;
  readonly number: number;
  readonly text: string;
}

/** A text that a person wrote. `by` is the id of the person; null for an edit outside Guildbook. */
export interface Authored {
  readonly part: WrittenPart;
  readonly text: string;
  readonly by: string | null;
}

/** All texts of a proposed skill, in the order of the file. */
export function textsOf(proposedSkill: SkillTexts): WrittenText[] {
  return WRITTEN_PARTS.flatMap((part) => {
    const value = proposedSkill[part];
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ part, number: 0, text: value }];
    if (part !== 'steps' && part !== 'gotchas') return [{ part, number: 0, text: JSON.stringify(value) }];
    return proposedSkill[part].map((text, at) => ({ part, number: at + 1, text }));
  });
}

/**
 * Returns the authors after an edit: the earlier author of each text that stays, and `by` for each text that the edit adds or
 * changes. An entry that only moves in its list keeps its author.
 */
export function authorsAfter(
  before: SkillTexts,
  after: SkillTexts,
  earlier: readonly Authored[],
  by: string | null,
): Authored[] {
  const known = new Set(textsOf(before).map(keyOf));
  const authors = new Map(earlier.map((one) => [keyOf(one), one]));
  const written = textsOf(after).flatMap((text): [string, Authored][] => {
    const key = keyOf(text);
    const author = authors.get(key);
    if (author) return [[key, author]];
    return known.has(key) ? [] : [[key, { part: text.part, text: text.text, by }]];
  });
  return [...new Map(written).values()];
}

/** Returns the person who wrote a text: an entry of `authored`; undefined if the program worded it. */
export function authorOf(
  authored: readonly Authored[],
  text: Pick<WrittenText, 'part' | 'text'>,
): Authored | undefined {
  return authored.find((one) => one.part === text.part && one.text === text.text);
}

const keyOf = ({ part, text }: Pick<WrittenText, 'part' | 'text'>): string => `${part} ${text}`;
