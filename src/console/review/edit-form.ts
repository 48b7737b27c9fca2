import { z } from 'zod';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import type { ProposalPreview } from '../../approvals/queue/proposal-reader.service.js';
import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import type { Binding } from '../../evidence/predicate/check.schema.js';
import { readCall } from '../../skills/document/example-block.js';
import { costOf, filesShown } from '../frame/artifact-lines.js';
import { say } from '../texts/texts.js';
import { findingsView } from './review-page.js';

interface FormField {
  readonly name: string;
  readonly rows: number;
  readonly max: number;
  readonly help?: string;
}

/** What a browser sends for a check box that is set; it sends nothing for another one. */
const CHECKED = 'yes';

const FIELDS = [
  { name: 'title', rows: 0, max: 200 },
  { name: 'discovery', rows: 2, max: 600 },
  { name: 'condition', rows: 2, max: 2_000 },
  { name: 'boundHarness', rows: 0, max: 120, help: 'edit.help.binding' },
  { name: 'boundProject', rows: 0, max: 120 },
  { name: 'boundEnvironment', rows: 1, max: 1_200 },
  { name: 'environment', rows: 2, max: 1_200 },
  { name: 'cause', rows: 2, max: 600, help: 'edit.help.code' },
  { name: 'rationale', rows: 3, max: 2_000 },
  { name: 'action', rows: 2, max: 2_000, help: 'edit.help.code' },
  { name: 'steps', rows: 5, max: 26_000, help: 'edit.help.entries' },
  { name: 'exampleFailed', rows: 1, max: 700, help: 'edit.help.example' },
  { name: 'exampleError', rows: 1, max: 300 },
  { name: 'exampleBetween', rows: 2, max: 2_100 },
  { name: 'exampleWorked', rows: 1, max: 700 },
  { name: 'gotchas', rows: 2, max: 6_000, help: 'edit.help.entries' },
  { name: 'tags', rows: 0, max: 1_300 },
] as const satisfies readonly FormField[];
const REQUIRED: ReadonlySet<string> = new Set(['title', 'discovery', 'condition', 'rationale', 'action', 'steps']);
type FieldName = (typeof FIELDS)[number]['name'] | 'gate';

const text = z.string().max(30_000).default('');

/** The edit form as a browser sends it. The schema of `ProposedSkill` checks the parsed values. */
export const EditForm = z.object({
  sha256: z.string().max(64),
  tag: z.string().max(200),
  /** The hash of the preview that the page showed. */
  seen: z.string().max(64).optional(),
  // `approve` is sent by the button that saves and approves.
  next: z.enum(['save', 'approve']).default('save'),
  title: text,
  discovery: text,
  condition: text,
  rationale: text,
  action: text,
  steps: text,
  gotchas: text,
  tags: text,
  cause: text,
  boundHarness: text,
  boundProject: text,
  boundEnvironment: text,
  environment: text,
  exampleFailed: text,
  exampleError: text,
  exampleBetween: text,
  exampleWorked: text,
  gate: text,
});
export type EditForm = z.infer<typeof EditForm>;

export type FormValues = Readonly<Record<FieldName, string>>;

export function formValuesOf(proposedSkill: ProposedSkill): FormValues {
  const { title, discovery, condition, rationale, action, steps, gotchas, tags } = proposedSkill;
  const { cause = '', environment = [], example, binding = {}, gate } = proposedSkill;
  return {
    title,
    discovery,
    condition,
    rationale,
    action,
    steps: steps.map(indented).join('\n'),
    gotchas: gotchas.map(indented).join('\n'),
    tags: tags.join(', '),
    cause,
    boundHarness: binding.harness ?? '',
    boundProject: binding.project ?? '',
    boundEnvironment: factLines(binding.environment ?? []),
    environment: factLines(environment),
    exampleFailed: example ? callText(example.failed) : '',
    exampleError: example?.error ?? '',
    exampleBetween: (example?.between ?? []).map(callText).map(indented).join('\n'),
    exampleWorked: example?.worked ? callText(example.worked) : '',
    gate: gate ? CHECKED : '',
  };
}

const factLines = (facts: readonly EnvironmentFact[]): string =>
  facts.map(({ name, value }) => `${name}: ${value}`).join('\n');

const factsIn = (value: string): EnvironmentFact[] =>
  entriesOf(value).map((fact) => {
    const at = fact.indexOf(':');
    return { name: fact.slice(0, Math.max(0, at)), value: fact.slice(at + 1) };
  });

/** Where it holds; nothing if no field limits it. */
function bindingIn(words: FormValues): { binding?: Binding } {
  const [harness, project] = [words.boundHarness.trim(), words.boundProject.trim()];
  const environment = factsIn(words.boundEnvironment);
  const binding = {
    ...(harness === '' ? {} : { harness }),
    ...(project === '' ? {} : { project }),
    ...(environment.length === 0 ? {} : { environment }),
  };
  return Object.keys(binding).length === 0 ? {} : { binding };
}

const INDENT = '  ';

/** An entry with several lines, such as a code block: all lines after the first are indented. */
const indented = (entry: string): string => entry.split('\n').join(`\n${INDENT}`);

/** Splits a text into its entries: a line each, with the indented lines that follow it. */
function entriesOf(value: string): string[] {
  const entries: string[] = [];
  for (const line of value.split(/\r\n?|\n/)) {
    const last = entries.at(-1);
    // Browsers and people drop the blanks of an empty line, which ends no code block.
    if (last !== undefined && (line.startsWith(INDENT) || line.trim() === ''))
      entries[entries.length - 1] = `${last}\n${line.slice(INDENT.length)}`;
    else entries.push(line);
  }
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/** Cause, environment and example. One without any text is left out. */
function shownParts(words: FormValues) {
  const cause = words.cause.replace(/\r\n?/g, '\n').trim();
  const environment = factsIn(words.environment);
  const [failed, error, worked] = [words.exampleFailed, words.exampleError, words.exampleWorked].map((value) =>
    value.replace(/\r\n?/g, '\n').trim(),
  );
  const between = entriesOf(words.exampleBetween).map((call) => readCall(call));
  const hasExample = failed !== '' || error !== '' || worked !== '' || between.length > 0;
  return {
    ...(cause === '' ? {} : { cause }),
    ...(environment.length === 0 ? {} : { environment }),
    ...(hasExample
      ? { example: { failed: readCall(failed ?? ''), error, between, worked: worked ? readCall(worked) : null } }
      : {}),
  };
}

/**
 * Parses the form, or returns the problems with the labels of its fields. `before`: the proposed skill that the form was
 * made from, whose predicate no field holds.
 */
export function parseForm(
  words: FormValues,
  { predicate }: Pick<ProposedSkill, 'predicate'> = {},
): { proposedSkill: ProposedSkill } | { problems: string[] } {
  const { title, discovery, condition, rationale, action } = words;
  const plain = Object.entries({ title, discovery, condition, rationale, action }).map(([name, value]) => [
    name,
    value.replace(/\r\n?/g, '\n'),
  ]);
  const parsed = ProposedSkill.safeParse({
    ...Object.fromEntries(plain),
    steps: entriesOf(words.steps),
    gotchas: entriesOf(words.gotchas),
    ...shownParts(words),
    ...bindingIn(words),
    ...(predicate ? { predicate } : {}),
    ...(words.gate === CHECKED ? { gate: true } : {}),
    tags: words.tags
      .split(/,|\r\n?|\n/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  });
  if (parsed.success) return { proposedSkill: parsed.data };
  return {
    problems: parsed.error.issues.slice(0, 20).map(({ path, message }) => {
      const [name = 'title', at] = path;
      const field =
        name === 'example' && typeof at === 'string' ? `example${at.charAt(0).toUpperCase()}${at.slice(1)}` : name;
      return `${say(`edit.field.${String(field)}`)}${typeof at === 'number' ? ` ${at + 1}` : ''}: ${message}`;
    }),
  };
}

export function previewView(preview: ProposalPreview | { problems: readonly string[] }) {
  if (!('artifact' in preview))
    return {
      sha256: '',
      problems: preview.problems,
      isUnchanged: false,
      findings: [],
      risk: null,
      cost: '',
      files: [],
    };
  const { listed, whole } = costOf(preview.artifact);
  return {
    sha256: preview.artifactSha256,
    problems: preview.problems,
    isUnchanged: preview.isUnchanged,
    findings: findingsView(preview),
    risk: preview.risk,
    cost: say('effect.cost-says', { n: listed, whole }),
    files: filesShown(preview.artifact),
  };
}

export interface EditPage {
  readonly proposal: ProposalDetails;
  readonly words: FormValues;
  readonly preview: ReturnType<typeof previewView>;
  readonly tag: string;
  /** The form is opened for the first time, so that the browser may restore an unsaved draft. */
  readonly isFresh: boolean;
  readonly isStale: boolean;
}

export function editView({ proposal, words, preview, tag, isFresh, isStale }: EditPage) {
  const isMerge = proposal.kind === 'conflict';
  return {
    id: proposal.id,
    title: say(isMerge ? 'edit.merge-title' : 'edit.title', { title: proposal.title }),
    sha256: proposal.artifactSha256,
    tag,
    isFresh,
    isMerge,
    preview,
    stale: isStale ? say('edit.stale', { n: proposal.revision }) : null,
    fields: FIELDS.map((field) => ({
      name: field.name,
      rows: field.rows,
      max: field.max,
      value: words[field.name],
      label: say(`edit.field.${field.name}`),
      help: 'help' in field ? say(field.help) : null,
      required: REQUIRED.has(field.name),
    })),
    isGate: words.gate === CHECKED,
  };
}
