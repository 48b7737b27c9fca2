import { sha256 } from '../../platform/base/canonical-json.js';
import { isShellTool } from '../actions/action.js';
import { parseCommandLine } from '../actions/command-line.js';
import { REPORT_LIMITS } from '../report/execution-report.schema.js';

/** The hash that stands for a task's text: spelling, case and white space aside. The text itself goes no further. */
export function taskHash(prompt: string): string {
  return sha256(prompt.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim());
}

/** Hashes of what fed an execution (threats §7.17): its task, pages fetched, repositories cloned. */
export function sourcesOf(task: string, fed: Iterable<string>): string[] {
  return [...new Set([`sha256:${task}`, ...fed])].slice(0, REPORT_LIMITS.sources);
}

/** Hashes of the pages and repositories that a call brought in. */
export function sourcesOfCall(tool: string, input: unknown): string[] {
  const urls = isShellTool(tool) ? clonedUrls(commandOf(input)) : fetchedUrls(input);
  return urls.map((url) => `sha256:${sha256(normaliseUrl(url))}`);
}

/** The command line in a shell tool's input: a text, a list of words, or what its field `command` or `cmd` holds. */
export function commandOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (Array.isArray(input)) return input.filter((word) => typeof word === 'string').join(' ');
  if (typeof input !== 'object' || input === null) return '';
  const command = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined;
  return typeof command === 'string' || Array.isArray(command) ? commandOf(command) : '';
}

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

/** One repository is one source, whatever the credentials, the protocol's spelling and the `.git` at its end. */
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
