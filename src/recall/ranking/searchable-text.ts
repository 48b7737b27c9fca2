import { splitAtPlaceholders } from '../../evidence/calls/placeholder.js';
import { factsBeside, placeOf } from '../../evidence/predicate/binding.js';
import { NOT_SAID, type RecallableMemory } from '../../memory/store/recallable-memory.js';
import { termsOf } from './terms.js';

export type Searchable = Pick<RecallableMemory, 'lesson'> & Partial<Pick<RecallableMemory, 'skillName'>>;

/** What stands in stored calls and generalised texts for a value: it says nothing about the memory. */
const BRACKETED =
  /\[(?:path|dir|url|value|code|text|n|host|list|email|word|glob|var|file:\.[a-z0-9]{1,8}|REDACTED:[a-z0-9-]{1,64})\]/g;

/** Returns the text with a blank in place of each placeholder, so that `<image tag>` is not found by "image". */
export const withoutPlaceholders = (text: string): string =>
  splitAtPlaceholders(text.replace(BRACKETED, ' '))
    .map((part) => (part.isPlaceholder ? ' ' : part.text))
    .join('');

export interface SearchableText {
  /** What a search most likely asks for: the discovery, and the error line that an agent sees when it fails. */
  readonly about: readonly string[];
  readonly rest: readonly string[];
}

/** Returns the texts of a memory that a search reads, without placeholders and without empty texts; tags not included. */
export function searchableText({ lesson, skillName = null }: Searchable): SearchableText {
  const { discovery, activation, steps, cause, environment = [], example, binding = {} } = lesson;
  const { condition, action, rationale } = activation;
  const calls = example ? [example.failed, ...example.between, ...(example.worked ? [example.worked] : [])] : [];
  const said = [skillName ?? '', condition, action, rationale, ...steps];
  const shown = [cause ?? '', ...calls.map(({ tool, call }) => (tool === 'shell' ? call : `${tool} ${call}`))];
  return {
    about: cleaned([discovery, example?.error ?? '']),
    rest: cleaned([
      ...said,
      ...shown,
      placeOf(binding),
      ...factsBeside(environment, binding).map(({ name, value }) => `${name} ${value}`),
    ]),
  };
}

const cleaned = (texts: readonly string[]): string[] =>
  texts.map(withoutPlaceholders).filter((text) => text.trim() !== '' && text !== NOT_SAID);

/** The terms of a memory. Its discovery and its error line count twice, since they are what a search asks for. */
export function memoryTerms(memory: Searchable): string[] {
  const { about, rest } = searchableText(memory);
  const terms = termsOf(about.join('\n'));
  return [...terms, ...terms, ...termsOf([...rest, ...memory.lesson.tags].join('\n'))];
}
