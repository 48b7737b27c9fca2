import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { redactDeep, redactMadeFrom, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { clip } from '../../untrusted/text/clip.js';
import { Lesson } from '../store/lesson.schema.js';
import { CORE_NOTES, NOT_SAID, type NoteKind } from '../store/recallable-memory.js';
import { inferableFrom } from './inferable.js';
import { MAX_NOTE_STEP, MAX_NOTE_TAG, MAX_NOTE_TAGS, MAX_NOTE_TEXT, type NewMemory } from './remember.schema.js';

export const NON_INFERABLE = 'non-inferable';
const UNTAGGED_WARNING = `It has no tag "${NON_INFERABLE}". It is delivered all the same, but what a model knows by itself only costs tokens.`;
const RESERVED_WARNING = `It was stored without the tag "${CORE_NOTES.tag}": only core_memory_write adds to the core block.`;
export const inferableWarning = (reason: string): string =>
  `It was stored, but recalls leave it out: ${reason}. Say what no file and no command says, such as the reason or the exception.`;
export const unpinnedWarning = (reason: string): string =>
  `It was stored for recalls, but no preamble holds it: ${reason}. Pin it if it belongs into every session.`;
/** The agent gives no confidence. The value affects only the order of entries. */
const DEFAULT_CONFIDENCE = 0.5;

/** A note as it is stored. */
export interface NoteText {
  /** Why its agent could read it in its repository or environment. */
  readonly inferable: string | undefined;
  readonly lesson: Sanitized<Lesson>;
  readonly contentSha256: string;
}

/** Redacts the memory. A text is stored whole or refused, except for the copies of it that make it a lesson. */
export function noteText(memory: NewMemory, kind: NoteKind): NoteText {
  const { lesson: text, task = NOT_SAID, why = NOT_SAID, steps, tags } = memory;
  const { value } = redactDeep({ text, task, why, steps: steps ?? [], tags });
  const own = value.tags.filter((tag) => tag !== NON_INFERABLE && !isReservedTag(tag, kind) && tag !== kind.tag);
  const noteTags = [...(kind.tag ? [kind.tag] : []), ...own];
  requireLimits(
    { lesson: [value.text], task: [value.task], why: [value.why], steps: value.steps, tags: value.tags },
    noteTags.length,
  );
  const note = {
    discovery: clip(value.text, 600),
    activation: { condition: value.task, action: value.text, rationale: value.why },
    steps: value.steps.length > 0 ? value.steps : [clip(value.text, MAX_NOTE_STEP)],
    confidence: DEFAULT_CONFIDENCE,
    tags: noteTags,
  };
  // Clipped texts are redacted again: clipping can expose a secret that was part of a longer word.
  const lesson = redactMadeFrom(value, note);
  if (!Lesson.safeParse(lesson).success)
    throw new DomainError('invalid', 'memory.unusable_text', 'lesson: contains no text that can be stored', [
      { field: 'lesson', message: 'contains no text that can be stored' },
    ]);
  const isBare = why === NOT_SAID && value.steps.length === 0;
  return {
    lesson,
    contentSha256: sha256(canonicalJson(lesson)),
    inferable: isBare ? inferableFrom(value.text) : undefined,
  };
}

/** Returns whether the tag would put a note that was written elsewhere into the core block, beside its budget. */
const isReservedTag = (tag: string, { category, tag: block }: NoteKind): boolean =>
  category === CORE_NOTES.category && block === undefined && tag === CORE_NOTES.tag;

const TEXT_LIMITS = {
  lesson: MAX_NOTE_TEXT,
  task: MAX_NOTE_TEXT,
  why: MAX_NOTE_TEXT,
  steps: MAX_NOTE_STEP,
  tags: MAX_NOTE_TAG,
} as const;

/** Throws `invalid` for a text that a redaction marker made longer than its limit, and for too many tags. */
function requireLimits(texts: Readonly<Record<keyof typeof TEXT_LIMITS, readonly string[]>>, tagCount: number): void {
  for (const field of ['lesson', 'task', 'why', 'steps', 'tags'] as const)
    if (texts[field].some((text) => text.length > TEXT_LIMITS[field]))
      throw tooLong(field, `has more than ${TEXT_LIMITS[field]} characters after redaction`);
  if (tagCount > MAX_NOTE_TAGS)
    throw tooLong('tags', `has more than ${MAX_NOTE_TAGS} tags, with the one that names the block`);
}

const tooLong = (field: string, message: string): DomainError =>
  new DomainError('invalid', 'memory.too_long', `${field}: ${message}`, [{ field, message }]);

/** What its agent should know of a note that was stored. `inferable`: why it could read the note where it works. */
export const noteWarnings = (tags: readonly string[], kind: NoteKind, inferable?: string): string[] => [
  ...(inferable === undefined ? [] : [inferableWarning(inferable)]),
  ...(tags.includes(NON_INFERABLE) ? [] : [UNTAGGED_WARNING]),
  ...(tags.some((tag) => isReservedTag(tag, kind)) ? [RESERVED_WARNING] : []),
];
