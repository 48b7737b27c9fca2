import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { EnvironmentFact } from '../../evidence/parts/lesson-parts.schema.js';
import { versionCause } from '../../evidence/parts/version-cause.js';
import type { Case } from './case.js';
import { type CaseForms, isWorked } from './case-forms.js';

/** A difference needs this many failed and successful calls. */
const FEWEST = 3;
/** The share of errors that must name what worked. */
const NAMED = 0.6;

/**
 * Why the calls failed, from evidence only: the versions of the two interpreters, an error that names what worked, or
 * what all failed calls have and none that worked. Undefined if the evidence does not say it.
 */
export function causeOf(
  cases: readonly Case[],
  { failed, worked, calls }: CaseForms,
  environment: readonly EnvironmentFact[],
): string | undefined {
  return (
    versionCause(failed, worked, environment) ??
    namedCause(cases, failed, worked) ??
    contrastCause(
      cases.map((one) => one.failed),
      cases.filter(isWorked).map((one) => one.worked),
      calls.worked.length,
    )
  );
}

/** The error itself names a word of the call that worked. */
function namedCause(cases: readonly Case[], failed: ShownCall, worked: ShownCall): string | undefined {
  const before = new Set(wordsIn(failed));
  const added = wordsIn(worked).filter((word) => /^[\w.=:-]{4,60}$/.test(word) && !before.has(word));
  const errors = cases.map(({ error }) => error).filter((error) => error !== '');
  for (const word of added) {
    const naming = errors.filter((error) =>
      new RegExp(`(?<![\\w-])${word.replace(/[.]/g, '\\.')}(?![\\w-])`).test(error),
    );
    if (naming.length >= FEWEST && naming.length >= NAMED * errors.length)
      return `The error names \`${withValue(word, worked)}\`.`;
  }
  return undefined;
}

/** A flag with the value that follows it. */
function withValue(word: string, { call }: ShownCall): string {
  const words = wordsOfLine(call);
  const next = words[words.indexOf(word) + 1] ?? '';
  return word.startsWith('-') && /^[\w./<]/.test(next) ? `${word} ${next}` : word;
}

/** A word or an argument that all failed calls have and none that worked, or the other way round. */
function contrastCause(
  failed: readonly ShownCall[],
  worked: readonly ShownCall[],
  distinct: number,
): string | undefined {
  if (failed.length < FEWEST || worked.length < FEWEST || distinct < 1) return undefined;
  const [added] = inAllButNone(worked, failed);
  if (added !== undefined) return `Every call that worked has \`${added}\`, and none that failed.`;
  const [removed] = inAllButNone(failed, worked);
  return removed === undefined ? undefined : `Every call that failed has \`${removed}\`, and none that worked.`;
}

function inAllButNone(all: readonly ShownCall[], none: readonly ShownCall[]): string[] {
  const [first, ...more] = all.map((call) => new Set(namesIn(call)));
  const excluded = new Set(none.flatMap(namesIn));
  return [...(first ?? [])].filter((name) => !excluded.has(name) && more.every((names) => names.has(name)));
}

/** What can be named on its own: assignments, flags with a value, and the keys of arguments. */
function namesIn(call: ShownCall): string[] {
  if (call.tool !== 'shell') return [...(argumentsOf(call.call)?.keys() ?? [])].filter((key) => /^\w{1,60}$/.test(key));
  return wordsOfLine(call.call).filter((word) =>
    /^(?:--[a-z][\w-]{0,40}|[A-Z_][A-Z0-9_]{0,40})=[^<>'"]{1,60}$/.test(word),
  );
}

const wordsIn = (call: ShownCall): string[] =>
  call.tool === 'shell' ? wordsOfLine(call.call) : [...(argumentsOf(call.call)?.keys() ?? [])];
