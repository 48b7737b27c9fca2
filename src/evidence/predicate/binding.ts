import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import type { EnvironmentFact } from '../calls/lesson-parts.schema.js';
import type { Binding } from './check.schema.js';
import type { Predicate } from './predicate.schema.js';

/** What the sentence about a binding begins and ends with. */
export const SEEN_ONLY = 'Seen only ';
const CAUTION = ': check before relying on it elsewhere.';

/** Whether the binding limits anything. */
export const isBound = (binding: Binding | undefined): binding is Binding =>
  binding !== undefined && placeOf(binding) !== '';

/** Where it was seen, such as `in claude-code, in the project shop, with python 2.7.18`; empty without a limit. */
export function placeOf({ harness, project, environment = [] }: Binding): string {
  const facts = environment.map(({ name, value }) => `${name} ${value}`);
  return [
    ...(harness === undefined ? [] : [`in ${harness}`]),
    ...(project === undefined ? [] : [`in the project ${project}`]),
    ...(facts.length === 0 ? [] : [`with ${facts.join(' and ')}`]),
  ].join(', ');
}

/** The sentence about a binding, for agents and people; empty without a limit. */
export function bindingInWords(binding: Binding | undefined): string {
  return isBound(binding) ? `${SEEN_ONLY}${placeOf(binding)}${CAUTION}` : '';
}

/** The facts that a binding does not say already, so that a file names each of them once. */
export function factsBeside(
  facts: readonly EnvironmentFact[],
  { harness, project, environment = [] }: Binding = {},
): EnvironmentFact[] {
  const said = new Set([
    ...(harness === undefined ? [] : [keyOf({ name: 'harness', value: harness })]),
    ...(project === undefined ? [] : [keyOf({ name: 'project', value: project })]),
    ...environment.map(keyOf),
  ]);
  return facts.filter((fact) => !said.has(keyOf(fact)));
}

const keyOf = ({ name, value }: EnvironmentFact): string => JSON.stringify([name, value]);

/**
 * Reads the sentence that a person changed in a file; undefined for one that no binding gives. `known`: the binding
 * before, whose names may hold commas.
 */
export function readBinding(sentence: string, known: Binding = {}): Binding | undefined {
  const text = sentence.trim();
  if (!text.startsWith(SEEN_ONLY)) return undefined;
  let rest = text
    .slice(SEEN_ONLY.length)
    .replace(/: check before relying on it elsewhere\.?$/, '')
    .replace(/\.$/, '');
  const take = (start: string, before: string | undefined): string | undefined => {
    if (!rest.startsWith(start)) return undefined;
    const body = rest.slice(start.length);
    const isSame = before !== undefined && (body === before || body.startsWith(`${before}, `));
    const value = isSame ? before : (body.split(/, (?=in the project |with )/, 1)[0] ?? body);
    rest = body.slice(value.length).replace(/^, /, '');
    return value;
  };
  const project = (): string | undefined => take('in the project ', known.project);
  const first = rest.startsWith('in the project ') ? undefined : take('in ', known.harness);
  const second = project();
  const environment = rest.startsWith('with ') ? factsIn(rest.slice('with '.length), known.environment) : [];
  if (rest !== '' && environment.length === 0) return undefined;
  return {
    ...(first === undefined ? {} : { harness: first }),
    ...(second === undefined ? {} : { project: second }),
    ...(environment.length === 0 ? {} : { environment }),
  };
}

/** Reads `name value and name value`. Known facts keep their names; of others the last word is the value. */
function factsIn(line: string, known: readonly EnvironmentFact[] = []): EnvironmentFact[] {
  const facts: EnvironmentFact[] = [];
  for (let rest = line.trim(); rest !== ''; ) {
    const fact = known.find(
      ({ name, value }) => rest === `${name} ${value}` || rest.startsWith(`${name} ${value} and `),
    );
    const text = fact ? `${fact.name} ${fact.value}` : (rest.split(' and ', 1)[0] ?? rest);
    const at = text.lastIndexOf(' ');
    facts.push(fact ?? { name: text.slice(0, Math.max(0, at)), value: text.slice(at + 1) });
    rest = rest.slice(text.length).replace(/^ and /, '');
  }
  return facts;
}

/** A limit that a new version of a skill drops or changes. */
interface Widening {
  readonly part: 'harness' | 'project' | 'environment';
  readonly was: string;
  /** Null if nothing limits it any more. */
  readonly now: string | null;
}

/** The limits of `before` that `after` does not hold; empty if it holds at most where the earlier one did. */
export function wideningOf(before: Binding = {}, after: Binding = {}): Widening[] {
  const kept = new Set((after.environment ?? []).map(keyOf));
  const nowOf = (fact: EnvironmentFact): string | null => {
    const now = after.environment?.find(({ name }) => name === fact.name);
    return now ? `${now.name} ${now.value}` : null;
  };
  return [
    ...(['harness', 'project'] as const).flatMap((part) => {
      const was = before[part];
      return was === undefined || was === after[part] ? [] : [{ part, was, now: after[part] ?? null }];
    }),
    ...(before.environment ?? [])
      .filter((fact) => !kept.has(keyOf(fact)))
      .map((fact) => ({ part: 'environment' as const, was: `${fact.name} ${fact.value}`, now: nowOf(fact) })),
  ];
}

/** One line for a reviewer. */
export const wideningInWords = ({ part, was, now }: Widening): string =>
  `widens: was bound to ${part === 'environment' ? '' : `the ${part} `}${was}${now === null ? '' : `, now to ${now}`}`;

/**
 * The SHA-256 of predicate and binding, as 64 hex digits; undefined without either. The file holds it, so that changing
 * one of them gives other bytes and needs another decision.
 */
export function predicateHash(predicate: Predicate | undefined, binding: Binding | undefined): string | undefined {
  if (predicate === undefined && binding === undefined) return undefined;
  return sha256(canonicalJson({ predicate, binding }));
}
