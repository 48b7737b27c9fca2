import { z } from 'zod';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import type { ProposalPreview } from '../../approvals/queue/proposal-reader.service.js';
import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import type { Binding } from '../../evidence/predicate/check.schema.js';
import { readCall } from '../../skills/document/example-block.js';
import { costText, filesShown } from '../frame/artifact-lines.js';
import { grouped } from '../frame/in-words.js';
import { findingsView } from './review-page.js';

interface FormField {
  readonly name: string;
  readonly label: string;
  readonly rows: number;
  readonly max: number;
  readonly help?: string;
}

/** What a browser sends for a check box that is set; it sends nothing for another one. */
const CHECKED = 'yes';

const CODE_HELP = 'May hold blocks of code between two lines ```.';
const ENTRIES_HELP = 'An entry may hold blocks of code between two lines ```, indented by two blanks.';
const FIELDS = [
  { name: 'title', label: 'Title', rows: 0, max: 200 },
  { name: 'discovery', label: 'Description: when an agent should consider this skill', rows: 2, max: 600 },
  { name: 'condition', label: 'When to use', rows: 2, max: 2_000 },
  {
    name: 'boundHarness',
    label: 'Seen only in the harness; empty: in any',
    rows: 0,
    max: 120,
    help: 'The file says where the lesson holds. Widen it only if you know that it holds elsewhere.',
  },
  { name: 'boundProject', label: 'Seen only in the project; empty: in any', rows: 0, max: 120 },
  { name: 'boundEnvironment', label: 'Seen only with: a fact per line, as name: value', rows: 1, max: 1_200 },
  { name: 'environment', label: 'Seen with: a fact per line, as name: value', rows: 2, max: 1_200 },
  { name: 'cause', label: 'Cause', rows: 2, max: 600, help: CODE_HELP },
  { name: 'rationale', label: 'Why', rows: 3, max: 2_000 },
  { name: 'action', label: 'What to do', rows: 2, max: 2_000, help: CODE_HELP },
  {
    name: 'steps',
    label: 'Steps, one per line; indent the further lines of a step',
    rows: 5,
    max: 26_000,
    help: ENTRIES_HELP,
  },
  {
    name: 'exampleFailed',
    label: 'Example: the call that failed',
    rows: 1,
    max: 700,
    help: 'A command line, or a tool and its arguments: search {"query":"open"}. Placeholders: <branch>.',
  },
  { name: 'exampleError', label: 'Example: its error line', rows: 1, max: 300 },
  { name: 'exampleBetween', label: 'Example: calls in between, one per line', rows: 2, max: 2_100 },
  { name: 'exampleWorked', label: 'Example: the call that worked', rows: 1, max: 700 },
  {
    name: 'gotchas',
    label: 'Gotchas, one per line; indent the further lines of one',
    rows: 2,
    max: 6_000,
    help: ENTRIES_HELP,
  },
  { name: 'tags', label: 'Tags, separated by commas', rows: 0, max: 1_300 },
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

/** The label of a field, or of the part of a skill that several fields hold. */
const labelOf = (name: string): string =>
  FIELDS.find((field) => field.name === name)?.label ?? OTHER_LABELS[name] ?? name;

const OTHER_LABELS: Readonly<Record<string, string>> = { binding: 'Seen only in', example: 'Example' };

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
      return `${labelOf(String(field))}${typeof at === 'number' ? ` ${at + 1}` : ''}: ${message}`;
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
  return {
    sha256: preview.artifactSha256,
    problems: preview.problems,
    isUnchanged: preview.isUnchanged,
    findings: findingsView(preview),
    risk: preview.risk,
    cost: costText(preview.artifact),
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
    title: `${isMerge ? 'Merge both' : 'Edit'}: ${proposal.title}`,
    sha256: proposal.artifactSha256,
    tag,
    isFresh,
    isMerge,
    preview,
    stale: isStale
      ? `The proposal changed while you were editing: it is now at revision ${grouped(proposal.revision)}. Your text is below; compare it with the current revision before you save.`
      : null,
    fields: FIELDS.map((field) => ({
      help: null,
      ...field,
      value: words[field.name],
      required: REQUIRED.has(field.name),
    })),
    isGate: words.gate === CHECKED,
  };
}
