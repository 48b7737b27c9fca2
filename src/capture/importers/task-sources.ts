import { sha256 } from '../../platform/base/canonical-json.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { REPORT_LIMITS } from '../report/execution-report.schema.js';
import { stated } from './json-fields.js';

/**
 * The hash of a task's text, which never leaves the machine itself. Case, white space and Unicode form do not change
 * it.
 */
export function taskHash(prompt: string): string {
  return sha256(prompt.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim());
}

/** The task of a prompt, if it says anything. */
export const taskOf = (prompt: string | undefined): { task?: string } =>
  stated(prompt) === undefined ? {} : { task: taskHash(prompt ?? '') };

/**
 * Hashes of the sources of an execution: its task, fetched pages and cloned repositories. Executions with the same
 * sources are not independent evidence.
 */
export function sourcesOf(task: string, sources: Iterable<string>): string[] {
  return [...new Set([`sha256:${task}`, ...sources])].slice(0, REPORT_LIMITS.sources);
}

/** Hashes of the pages and repositories that a call fetched. */
export function sourcesOfCall(tool: string, input: unknown): string[] {
  const urls = isShellTool(tool) ? clonedUrls(commandOf(input)) : fetchedUrls(input);
  return urls.map((url) => `sha256:${sha256(normaliseUrl(url))}`);
}

/** The command line in a shell tool's input, which is a text, a list of words, or an object with `command` or `cmd`. */
export function commandOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (Array.isArray(input)) return input.filter((word) => typeof word === 'string').join(' ');
  if (typeof input !== 'object' || input === null) return '';
  const command = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined;
  return typeof command === 'string' || Array.isArray(command) ? commandOf(command) : '';
}

/** The parser reads no longer line to its end. */
const MAX_LINE = 100_000;
const SHELL = /(?:^|[\\/])(?:(?:ba|z|da)?sh|pwsh|powershell)(?:\.exe)?$/i;

/** A shell tool's input without the shell that runs it: `["bash", "-lc", "make test"]` is `make test`. */
export function withoutShell(input: unknown): unknown {
  const words = typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined;
  return Array.isArray(words) && isShellCall(words) ? { command: words[2] } : input;
}

/** A command line as Codex prints it, without that shell: `/bin/bash -lc 'make test'` is `make test`. */
export function commandInShell(line: string): string {
  if (line.length > MAX_LINE) return line;
  const [command, ...others] = parseCommandLine(line);
  const words = command?.words.map(({ text }) => text) ?? [];
  return others.length === 0 && command?.redirects.length === 0 && isShellCall(words) ? String(words[2]) : line;
}

const isShellCall = (words: readonly unknown[]): boolean =>
  words.length === 3 &&
  words.every((word) => typeof word === 'string') &&
  SHELL.test(String(words[0])) &&
  /^-(?:l?c|command)$/i.test(String(words[1]));

function fetchedUrls(input: unknown): string[] {
  const url = typeof input === 'object' && input !== null && 'url' in input ? input.url : undefined;
  return typeof url === 'string' ? [url] : [];
}

function clonedUrls(command: string): string[] {
  if (!command.includes('clone')) return [];
  return parseCommandLine(command).flatMap(({ words }) => {
    const texts = words.map((word) => word.text);
    if (!texts.includes('clone')) return [];
    return texts.filter((text) => text.includes('://') || /^[\w.-]{1,60}@[\w.-]{1,200}:/.test(text)).slice(0, 1);
  });
}

/** A repository's URL without credentials, protocol and `.git`, so that every spelling is the same source. */
function normaliseUrl(url: string): string {
  return url
    .slice(0, 2_000)
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]{1,20}:\/\//, '')
    .replace(/^[^/@]{0,300}@/, '')
    .replace(/^([^/:]{1,200}):(?!\d)/, '$1/')
    .replace(/[#?].*$/, '')
    .replace(/(?:\.git)?\/{0,3}$/, '');
}
