import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { factsBeside, readBinding } from '../../evidence/predicate/binding.js';
import { readExample } from '../../skills/document/example-block.js';
import { revertNeutralised, revertNeutralisedCode, revertNeutralisedPlain } from '../../skills/document/neutralise.js';
import { type ParsedSkill, type ParseNote, type ParseProblem, parseSkill } from '../../skills/document/parse.js';
import { revertText } from '../../skills/document/text-blocks.js';
import { ProposedSkill } from '../proposals/proposed-skill.schema.js';

type Amendment =
  | { readonly proposedSkill: ProposedSkill; readonly notes: readonly ParseNote[] }
  | { readonly problems: readonly ParseProblem[] };

/** A proposed skill, and the file that was rendered from it. */
interface RenderedSkill {
  readonly proposedSkill: ProposedSkill;
  readonly artifact: string;
}

/**
 * Converts an external edit to a proposed skill: the live texts, with those that the edit changed. Comparing with
 * `base`, the version that was edited, shows which texts changed; all others stay exactly as they are live.
 */
export function amendmentOf(live: ProposedSkill, base: RenderedSkill, edited: string): Amendment {
  const before = parseSkill(base.artifact);
  const after = parseSkill(edited);
  if ('problems' in before) return before;
  if ('problems' in after) return after;
  const [was, is] = [before.skill, after.skill];
  const text = (field: TextField, now: string): string =>
    is[field] === was[field] ? now : (field === 'description' ? revertNeutralisedPlain : revertText)(is[field]);
  const list = (field: 'steps' | 'gotchas'): readonly string[] =>
    isSameList(is[field], was[field]) ? live[field] : mergedList(was[field], base.proposedSkill[field], is[field]);
  const candidate = {
    title: text('title', live.title),
    discovery: text('description', live.discovery),
    condition: text('condition', live.condition),
    action: text('action', live.action),
    rationale: text('rationale', live.rationale),
    steps: list('steps'),
    gotchas: list('gotchas'),
    tags: live.tags,
    ...changedParts(live, was, is),
  };
  const proposedSkill = ProposedSkill.safeParse(candidate);
  if (proposedSkill.success)
    return { proposedSkill: proposedSkill.data, notes: [...after.notes, ...unread(was, is), ...droppedEdits(was, is)] };
  return {
    problems: proposedSkill.error.issues.map(({ path, message }) => ({
      line: 1,
      message: `${path.join('.')}: ${message}`,
    })),
  };
}

type TextField = 'title' | 'description' | 'condition' | 'action' | 'rationale';

/** Maps list entries that the file had before to their original texts; the others are new. */
function mergedList(was: readonly string[], own: readonly string[], is: readonly string[]): string[] {
  const texts = new Map(was.map((shown, index) => [shown, own[index] ?? shown]));
  return is.map((shown) => texts.get(shown) ?? revertText(shown));
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean => one.join('\n') === other.join('\n');

/** The optional parts after the edit. A part that the file does not hold any more is left out. */
function changedParts(live: ProposedSkill, was: ParsedSkill, is: ParsedSkill): Partial<ProposedSkill> {
  const cause = is.cause === was.cause ? live.cause : revertText(is.cause);
  const binding =
    is.binding === was.binding
      ? live.binding
      : is.binding === ''
        ? undefined
        : (readBinding(revertNeutralised(is.binding), live.binding) ?? live.binding);
  const facts =
    is.environment === was.environment
      ? live.environment
      : [...hiddenFacts(live), ...factsOf(revertNeutralised(is.environment), live.environment)];
  const calls = live.example ? [live.example.failed, ...live.example.between, live.example.worked] : [];
  const known = calls.filter((call) => call !== null);
  const example = isSameList(is.example, was.example)
    ? live.example
    : is.example.length > 0
      ? (readExample(is.example.map(revertNeutralisedCode), known) ?? live.example)
      : undefined;
  return {
    ...(cause ? { cause } : {}),
    ...(facts && facts.length > 0 ? { environment: facts } : {}),
    ...(example ? { example } : {}),
    ...(binding ? { binding } : {}),
    ...(live.predicate ? { predicate: live.predicate } : {}),
    ...(live.gate ? { gate: live.gate } : {}),
  };
}

/** The facts that the sentence on the binding says in the file instead of the environment line. */
function hiddenFacts({ environment = [], binding }: ProposedSkill): EnvironmentFact[] {
  const shown = new Set(factsBeside(environment, binding));
  return environment.filter((fact) => !shown.has(fact));
}

/** Reads `name value, name value`. Facts that were known keep their names; of others the last word is the value. */
function factsOf(line: string, known: readonly EnvironmentFact[] = []): EnvironmentFact[] {
  const facts: EnvironmentFact[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const fact = known.find(({ name, value }) => rest === `${name} ${value}` || rest.startsWith(`${name} ${value}, `));
    const text = fact ? `${fact.name} ${fact.value}` : (rest.split(', ', 1)[0] ?? rest);
    const at = text.trim().lastIndexOf(' ');
    if (text.trim() !== '')
      facts.push(fact ?? { name: text.trim().slice(0, Math.max(at, 0)), value: text.trim().slice(at + 1) });
    rest = rest.slice(text.length).replace(/^,\s{0,9}/, '');
  }
  return facts;
}

/** Notes on parts of the file that could not be read. */
const unread = (was: ParsedSkill, is: ParsedSkill): ParseNote[] => [
  ...(is.example.length > 0 && !isSameList(is.example, was.example) && readExample(is.example) === undefined
    ? [{ line: 1, message: 'the example needs the lines # Failed, # with and # Worked', carried: false }]
    : []),
  ...(is.binding !== '' && is.binding !== was.binding && readBinding(revertNeutralised(is.binding)) === undefined
    ? [{ line: 1, message: 'the binding needs the form "Seen only in …, in the project …, with …"', carried: false }]
    : []),
];

/** Notes for edits of generated parts, which Guildbook renders again and does not carry over. */
function droppedEdits(was: ParsedSkill, is: ParsedSkill): ParseNote[] {
  const before = new Set(was.fixed.map(({ text }) => text));
  const after = new Set(is.fixed.map(({ text }) => text));
  const changed = is.fixed.filter(({ text }) => !before.has(text));
  const gone = was.fixed.filter(({ text }) => !after.has(text));
  const message = 'is generated by Guildbook, and an edit of it is not carried over';
  if (changed.length > 0) return changed.map(({ line }) => ({ line, message, carried: false }));
  return gone.map(({ line }) => ({ line, message: `line ${line} of the approved file ${message}`, carried: false }));
}
