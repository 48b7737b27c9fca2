import { FRONTMATTER_LIMITS, visibleLine } from './frontmatter.js';
import { isSkillName } from './slug.js';

/** One problem at one line of a file. Lines count from 1. */
export interface FileProblem {
  line: number;
  message: string;
}

/** One decoded `key: "value"` line. `group` is `metadata` for the lines below that key. */
export interface FrontmatterEntry {
  line: number;
  group: 'top' | 'metadata';
  key: string;
  value: string;
}

export interface FrontmatterReading {
  entries: FrontmatterEntry[];
  problems: FileProblem[];
  /** The first line after the closing `---`; undefined if there is none. */
  bodyLine: number | undefined;
}

const FORMAT_KEYS = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);
const TOP_LINE = /^([A-Za-z][A-Za-z0-9_-]{0,63}):(?: (.*))?$/;
const METADATA_LINE = /^ {2}([A-Za-z0-9][A-Za-z0-9_./-]{0,127}): (.+)$/;

/**
 * Reads frontmatter in the form that all readers parse alike: LF, no BOM, block style, each value a double-quoted
 * string on its line. Anything else is reported as a problem. A YAML library would accept tags, anchors and merge keys,
 * and one library even executes code.
 */
export function readFrontmatter(bytes: string): FrontmatterReading {
  const lines = bytes.split('\n');
  if (lines[0] !== '---') {
    return {
      entries: [],
      problems: [{ line: 1, message: 'the file must start with a line `---`' }],
      bodyLine: undefined,
    };
  }
  const close = lines.indexOf('---', 1);
  if (close === -1) {
    return { entries: [], problems: [{ line: 1, message: 'the frontmatter is never closed' }], bodyLine: undefined };
  }
  const entries: FrontmatterEntry[] = [];
  const problems: FileProblem[] = [];
  const seen = new Set<string>();
  let inMetadata = false;
  for (const [index, text] of lines.slice(1, close).entries()) {
    const line = index + 2;
    const top = TOP_LINE.exec(text);
    if (top) inMetadata = top[1] === 'metadata';
    const match = top ?? (inMetadata ? METADATA_LINE.exec(text) : null);
    const key = match?.[1];
    if (key === undefined) {
      problems.push({ line, message: 'is not a `key: "value"` line' });
      continue;
    }
    const group = top ? 'top' : 'metadata';
    if (seen.has(`${group} ${key}`)) problems.push({ line, message: `${key} is given twice` });
    seen.add(`${group} ${key}`);
    const found = readValue(group, key, match?.[2]);
    if ('message' in found) problems.push({ line, message: found.message });
    else entries.push({ line, group, key, value: found.value });
    // The reference parser ends the frontmatter at the first `---`, wherever it is.
    if (text.includes('---')) problems.push({ line, message: `${key} holds \`---\` unescaped` });
  }
  return { entries, problems, bodyLine: close + 2 };
}

function readValue(
  group: FrontmatterEntry['group'],
  key: string,
  raw: string | undefined,
): { value: string } | { message: string } {
  if (group === 'top' && key === 'metadata') {
    return raw === undefined ? { value: '' } : { message: 'metadata must be a block of indented lines' };
  }
  const message = `${key} must be a double-quoted string on one line`;
  if (raw === undefined || !raw.startsWith('"')) return { message };
  try {
    const value: unknown = JSON.parse(raw);
    if (typeof value !== 'string') return { message };
    return visibleLine(value) === value ? { value } : { message: `${key} contains invisible characters` };
  } catch {
    return { message };
  }
}

/**
 * Lists violations of the Agent Skills format by a `SKILL.md` in the folder `directoryName`; empty if it is valid. The
 * rules are those of the reference validator and of Anthropic's own validator, the stricter one where they differ.
 * `allowed-tools` is valid in the format; `lintSkill` forbids it in published skills.
 */
export function validateSkill(directoryName: string, bytes: string): string[] {
  const { entries, problems } = readFrontmatter(bytes);
  const errors = problems.map(({ line, message }) => `line ${line}: ${message}`);
  return problems.some((problem) => problem.line === 1) ? errors : [...errors, ...fieldErrors(directoryName, entries)];
}

function fieldErrors(directoryName: string, entries: readonly FrontmatterEntry[]): string[] {
  const top = new Map(entries.filter(({ group }) => group === 'top').map(({ key, value }) => [key, value]));
  const errors = [...top.keys()].filter((key) => !FORMAT_KEYS.has(key)).map((key) => `unexpected field ${key}`);
  const name = top.get('name');
  if (name === undefined) errors.push('name is missing');
  else if (!isSkillName(name)) errors.push('name must be lower-case words joined by hyphens, at most 64 characters');
  else if (name !== directoryName) errors.push('name must be the name of its folder');

  const description = top.get('description');
  if (description === undefined) errors.push('description is missing');
  else errors.push(...lengthErrors('description', description, FRONTMATTER_LIMITS.description));
  if (/[<>]/.test(description ?? '')) errors.push('description must not hold angle brackets');

  const compatibility = top.get('compatibility');
  if (compatibility !== undefined) {
    errors.push(...lengthErrors('compatibility', compatibility, FRONTMATTER_LIMITS.compatibility));
  }
  return errors;
}

function lengthErrors(field: string, value: string, limit: number): string[] {
  return value.length >= 1 && value.length <= limit ? [] : [`${field} must hold 1 to ${limit} characters`];
}
