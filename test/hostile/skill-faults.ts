import { load as loadJsYaml } from 'js-yaml';
import { parse as parseYaml } from 'yaml';
import yamlJs from 'yaml-js';
import { renderArtifact } from '../../src/approvals/proposals/artifact.js';
import { sanitizeProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { Evidence, ProposedSkill } from '../../src/approvals/proposals/proposed-skill.schema.js';
import { DomainError } from '../../src/platform/base/domain.errors.js';
import { lintSkill } from '../../src/skills/document/lint.js';
import { renderSkill } from '../../src/skills/document/render.js';
import { SkillRecord } from '../../src/skills/document/skill-record.schema.js';
import { readFrontmatter, validateSkill } from '../../src/skills/document/validate.js';

/** Three parsers that share no code: two for YAML 1.2, and a port of PyYAML for 1.1. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  yaml: (text) => parseYaml(text),
  'js-yaml': (text) => loadJsYaml(text),
  'yaml-js': (text) => yamlJs.load(text),
};

export type Fault = 'extra-key' | 'executable' | 'structure' | 'reading' | 'rules';

const NAME = 'a-hostile-skill';
const APPROVAL = '0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f';
const RATE = { worked: 5, n: 6, rate: 0.83, low: 0.44, high: 0.97 };
const EVIDENCE: Evidence = {
  agents: 3,
  owners: 2,
  origins: 3,
  executions: 4,
  failures: 6,
  firstSeen: '2026-03-01T10:00:00.000Z',
  lastSeen: '2026-03-02T10:00:00.000Z',
  failing: { tool: 'shell', action: 'short', errorClass: 'NotFound', example: 'short: not found' },
  failureRate: RATE,
  repeating: RATE,
  alternatives: [{ ...RATE, action: 'long', agents: 3, lift: 0.8 }],
  seenBy: [],
};

/** A proposal with the text in every field, cut to the limit of the field. */
function contentWith(text: string): ProposedSkill {
  const cut = (max: number): string => text.slice(0, max).trim();
  return {
    title: cut(200),
    discovery: cut(600),
    condition: cut(2_000),
    action: cut(2_000),
    rationale: cut(2_000),
    steps: [cut(500), `Write:\n~~~\n${cut(400)}\n~~~`],
    gotchas: [cut(500)],
    tags: [cut(60), cut(60)],
    cause: cut(600),
    environment: [{ name: cut(40), value: cut(80) }],
    example: {
      failed: { tool: 'shell', call: cut(600) },
      error: cut(300),
      between: [{ tool: cut(80), call: cut(600) }],
      worked: { tool: 'shell', call: cut(600) },
    },
  };
}

/** The file that the renderer makes of it, without the sanitising of the queue. */
export function renderedFile(text: string): string | undefined {
  const { discovery, tags: _tags, ...says } = contentWith(text);
  const record = SkillRecord.safeParse({
    ...says,
    name: NAME,
    description: discovery,
    version: 1,
    proposalId: APPROVAL,
    provenance: 'verified',
  });
  return record.success ? renderSkill(record.data) : undefined;
}

/** The file of the proposal in the queue; undefined if the queue refuses it. */
export function queuedFile(text: string): string | undefined {
  try {
    const { proposedSkill: proposal, evidence } = sanitizeProposal({
      proposedSkill: contentWith(text),
      evidence: EVIDENCE,
    });
    return renderArtifact({ proposalId: APPROVAL, skillName: NAME, version: 1 }, proposal, evidence).bytes;
  } catch (error) {
    // Nothing may be left after sanitising; then the schemas refuse it.
    if (error instanceof DomainError || (error instanceof Error && error.name === 'ZodError')) return undefined;
    throw error;
  }
}

const TOP = ['description', 'metadata', 'name'];
const METADATA = ['guildbook/approval', 'guildbook/version'];
const HEADINGS = ['## When to use', '## Cause', '## Steps', '## Example', '## Gotchas'];

// The executable forms again, independently of our linter. An at sign between a word and a number writes a version.
const EXECUTABLE =
  /!`|(?:`{3}|~{3})[ \t]*!|(?<!\w)@[^ &]|@(?!v?\d)[^ &]|@v?\d[\w.+-]*[/\\]|\$\{?ARGUMENTS|\$\{?CLAUDE_|\]\(|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]|(?![\n\t])\p{Cc}/imu;
const PROSE_ONLY = /^ {0,3}(?:(?:(?:[-*+]|\d+[.)]) +)?~{3}|\[[^\]]*\]:)|[<>]/m;
// What a reader could take for a tag, a comment or the end of a frame.
const TAG =
  /<[a-z][\w:-]*(?:\s[^<>]*)?[="'/][^<>]*>|<[/!?|%]|<[A-Z][^<>]{0,40}>|--+>|[/?|%]>|< *(?:system|assistant|untrusted)/;

/** The text of a file outside of code, and the code alone. */
function proseAndCode(body: string): { prose: string; code: string } {
  const [prose, code]: [string[], string[]] = [[], []];
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const mark = /^ *(?:(?:[-*+]|\d+[.)]) )?(`{3,})[a-z]*$/.exec(line)?.[1];
    if (fence !== undefined && mark === fence) fence = undefined;
    else if (fence !== undefined) code.push(line);
    else if (mark) fence = mark;
    else {
      const spans = (line.match(/\\.|`[^`]+`/g) ?? []).filter((it) => it.startsWith('`'));
      code.push(...spans);
      prose.push(spans.reduce((rest, span) => rest.replace(span, 'x'), line));
    }
  }
  return { prose: prose.join('\n'), code: code.join('\n') };
}

const isActive = (bytes: string, body: string): boolean => {
  const { prose, code } = proseAndCode(body);
  return EXECUTABLE.test(bytes) || PROSE_ONLY.test(prose) || TAG.test(code);
};

/** The block between the first two `---`, wherever they are: the reference parser's `content.split("---", 2)`. */
export const referenceFrontmatter = (bytes: string): string => bytes.split('---')[1] ?? '';
const lineFrontmatter = (bytes: string): string => bytes.slice(4, bytes.indexOf('\n---\n') + 1);

/** Faults of a file; empty for every file that Guildbook writes. */
export function faultsOf(bytes: string): Fault[] {
  const own = readFrontmatter(bytes).entries;
  const metadata = own.filter(({ group }) => group === 'metadata').map(({ key, value }) => [key, value] as const);
  const top = own
    .filter(({ group, key }) => group === 'top' && key !== 'metadata')
    .map(({ key, value }) => [key, value] as const);
  const expected = canonical({ ...Object.fromEntries(top), metadata: Object.fromEntries(metadata) });
  const blocks = [lineFrontmatter(bytes), referenceFrontmatter(bytes)];
  const readings = blocks.flatMap((block) => Object.values(PARSERS).map((parse) => attempt(() => parse(block))));
  const body = bytes.slice(bytes.indexOf('\n---\n') + 5);
  const headings = proseAndCode(body)
    .prose.split('\n')
    .filter((line) => /^ {0,3}#{1,6}(?:\s|$)/.test(line));
  const isOurs =
    headings[0]?.startsWith('# ') &&
    headings
      .slice(1)
      .filter((it) => it !== '## Why')
      .join() === HEADINGS.join();
  return [
    ...(readings.every((reading) => hasOurKeys(reading)) ? [] : ['extra-key' as const]),
    ...(isActive(bytes, body) ? ['executable' as const] : []),
    ...(isOurs ? [] : ['structure' as const]),
    ...(readings.every((reading) => canonical(reading) === expected) ? [] : ['reading' as const]),
    ...(lintSkill(bytes).length + validateSkill(NAME, bytes).length === 0 ? [] : ['rules' as const]),
  ];
}

function hasOurKeys(reading: unknown): boolean {
  if (typeof reading !== 'object' || reading === null || !('metadata' in reading)) return false;
  const keys = Object.keys(Object(reading.metadata)).sort();
  return Object.keys(reading).sort().join() === TOP.join() && keys.join() === METADATA.join();
}

/** The same text for the same keys and values, in any order. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return `unreadable: ${String(error)}`;
  }
}
