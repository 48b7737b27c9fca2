import { detached } from '../../platform/base/detached.js';
import { present } from '../../platform/base/optional.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { actionShape } from '../actions/action.js';
import type { ExecutionEnvironment } from '../report/execution-report.schema.js';
import { REPORT_LIMITS } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { pytestVersions, type ToolVersion, versionsIn } from './printed-versions.js';
import { commandOf } from './task-sources.js';

const MAX_COMMAND = 5_000;
const MAX_OUTPUT = 20_000;
/** Start-up notices are at the beginning of an output. */
const NOTICE_LINES = 12;
const MAX_NOTICE = 300;
const MAX_LINES_KNOWN = 2_000;
const NOTICE_AFTER = 2;
/** Calls that start a program; a call that reads a file prints anything. */
const STARTS_PROGRAM = /^(?:run|test|install|build|packages|version|lint|check):/;

/**
 * What the outputs of a session show about its environment: versions, the system, the repository, and the lines that
 * successful calls print as well. It keeps no output, and its lines never leave the importer.
 */
export class ObservedOutputs {
  readonly #versions = new Map<string, ToolVersion>();
  readonly #firstLines = new Map<string, number>();
  #operatingSystem: string | undefined;
  #repository: string | undefined;

  /** Reads the output of one call. */
  read(tool: string, input: unknown, output: string, failed: boolean): void {
    if (!isShellTool(tool) || output === '') return;
    const command = commandOf(input).slice(0, MAX_COMMAND);
    const text = output.slice(0, MAX_OUTPUT);
    this.#addPytest(command, text);
    if (failed) return;
    for (const version of versionsIn(command, text)) this.#addVersion(version);
    this.#operatingSystem ??= systemIn(command, text);
    this.#repository ??= repositoryIn(command, text);
    this.#addNotices(tool, command, text);
  }

  /** Lines at the start of at least two successful calls: warnings of an interpreter, headers of a test runner. */
  notices(): ReadonlySet<string> {
    return new Set([...this.#firstLines].flatMap(([line, count]) => (count >= NOTICE_AFTER ? [line] : [])));
  }

  environment(): Pick<ExecutionEnvironment, 'operatingSystem' | 'interpreters' | 'repository'> {
    const interpreters = [...this.#versions.values()].slice(0, REPORT_LIMITS.interpreters);
    return present({
      operatingSystem: this.#operatingSystem,
      interpreters: interpreters.length === 0 ? undefined : interpreters,
      repository: this.#repository,
    });
  }

  #addVersion(version: ToolVersion): void {
    this.#versions.set(`${version.name} ${version.version}`, version);
  }

  #addPytest(command: string, text: string): void {
    const found = pytestVersions(command, text);
    for (const version of found.versions) this.#addVersion(version);
    this.#operatingSystem ??= found.platform;
  }

  #addNotices(tool: string, command: string, text: string): void {
    const { purpose, masksExit } = actionShape(tool, command);
    if (masksExit || !STARTS_PROGRAM.test(purpose)) return;
    const lines = text.split('\n', NOTICE_LINES * 4).map((line) => line.trim());
    const first = lines.filter((line) => line !== '' && line.length <= MAX_NOTICE).slice(0, NOTICE_LINES);
    for (const line of new Set(first)) {
      if (this.#firstLines.size >= MAX_LINES_KNOWN && !this.#firstLines.has(line)) return;
      const count = this.#firstLines.get(line);
      this.#firstLines.set(count === undefined ? detached(line) : line, (count ?? 0) + 1);
    }
  }
}

/** The operating system that a path belongs to, if only one has such paths. */
export function systemOfPath(cwd: string | undefined): string | undefined {
  if (cwd === undefined) return undefined;
  if (/^\/Users\/|^\/Volumes\//.test(cwd)) return 'macOS';
  if (/^[A-Za-z]:[\\/]/.test(cwd)) return 'windows';
  return cwd.startsWith('/home/') ? 'linux' : undefined;
}

function systemIn(command: string, text: string): string | undefined {
  const release = /^PRETTY_NAME="([\w ./()+-]{1,60})"/m.exec(text)?.[1];
  if (release !== undefined && command.includes('os-release')) return release;
  if (!/\buname\b/.test(command)) return undefined;
  // the rest of the line can name the machine
  const name = /^(Linux|Darwin|FreeBSD|MINGW|MSYS|CYGWIN)\b/m.exec(text)?.[1];
  if (name === undefined) return undefined;
  return { Linux: 'linux', Darwin: 'macOS', FreeBSD: 'freebsd' }[name] ?? 'windows';
}

function repositoryIn(command: string, text: string): string | undefined {
  if (!/\bremote\b/.test(command)) return undefined;
  const asks = parseCommandLine(command).some(({ words }) => {
    const line = words.map((word) => word.text).join(' ');
    return /^git (?:-C \S{1,200} )?(?:remote (?:-v|get-url|show)|config (?:--get )?remote\.)/.test(line);
  });
  if (!asks) return undefined;
  for (const line of text.split('\n', 20)) {
    const url = /^(?:origin\s{1,10})?(\S{1,500}:\S{1,500})(?:\s{1,4}\(fetch\))?$/.exec(line.trim())?.[1];
    const label = url === undefined ? undefined : repositoryLabel(url);
    if (label !== undefined) return label;
  }
  return undefined;
}
