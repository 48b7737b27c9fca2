import { detached } from '../../platform/base/detached.js';
import { present } from '../../platform/base/optional.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { actionShape } from '../actions/action.js';
import { basename, isPip, isPython, locateProgram } from '../actions/program.js';
import { type ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
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

/** The version of an interpreter or tool, as it printed it. */
interface ToolVersion {
  readonly name: string;
  readonly version: string;
}

/** Public tools. The name of any other program may be that of a project. */
const TOOLS: ReadonlySet<string> = new Set(
  `node nodejs npm npx pnpm yarn bun deno tsc git go cargo rustc rustup java javac mvn gradle ruby gem bundle php
   composer perl gcc g++ clang cmake make docker docker-compose podman kubectl helm terraform psql mysql sqlite3
   redis-cli uv poetry pipenv conda mamba pytest tox ruff black mypy flake8 pylint sphinx-build jest vitest eslint elixir
   erl mix dotnet swift R Rscript julia gh aws gcloud az bash zsh curl jq rg ffmpeg pandoc libreoffice`.split(/\s+/),
);
const MODULES: ReadonlySet<string> = new Set('pip pytest tox black mypy flake8 pylint ruff sphinx poetry'.split(' '));
const VERSION = /(?<![\w.])(?:v|go)?(\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+.]?[A-Za-z][\w.+-]{0,20})?)/;
const MAX_LINES = 60;
const MAX_LINE = 300;

/** The versions that the probes of a command line printed: `Python 2.7.3` after `python --version`. */
export function versionsIn(command: string, output: string): ToolVersion[] {
  const probes = probesIn(command);
  if (probes.length === 0) return [];
  const lines = output.split('\n', MAX_LINES).map((line) => line.slice(0, MAX_LINE).trim());
  const free = lines.filter((line) => VERSION.test(line));
  const found = new Map<string, ToolVersion>();
  // `python3` first: standard output can stand before the error output of an earlier probe
  for (const name of [...probes].sort((a, b) => b.length - a.length)) {
    const own = free.findIndex((line) => line.toLowerCase().startsWith(wordOf(name)) && isVersionOf(name, line));
    // a bare version has no name in front of it; the probes print in their order
    const at = own >= 0 ? own : free.findIndex((line) => /^v?\d/.test(line));
    const version = VERSION.exec(free.splice(at < 0 ? free.length : at, 1)[0] ?? '')?.[1];
    if (version !== undefined) found.set(name, { name, version: version.slice(0, 60).replace(/[-+.]$/, '') });
  }
  return probes.flatMap((name) => found.get(name) ?? []);
}

/** False for `Python 2.7.3` of `python3`. */
function isVersionOf(name: string, line: string): boolean {
  const number = isPython(name) ? /\d[\d.]*$/.exec(name)?.[0] : undefined;
  return number === undefined || VERSION.exec(line)?.[1]?.startsWith(number) === true;
}

/** The versions and the platform in the header of pytest. */
export function pytestVersions(command: string, output: string): { versions: ToolVersion[]; platform?: string } {
  const header = /^platform (linux|darwin|win32)\d? -- Python (\d[\w.+]{1,20}), pytest-(\d[\w.+]{1,20})/m.exec(output);
  const [, platform = '', python = '', pytest = ''] = header ?? [];
  if (header === null) return { versions: [] };
  const programs = parseCommandLine(command).map(programOf);
  return {
    versions: [
      { name: programs.find(isPython) ?? 'python', version: python.replace(/[.+]$/, '') },
      { name: 'pytest', version: pytest.replace(/[.+]$/, '') },
    ],
    platform: { linux: 'linux', darwin: 'macOS', win32: 'windows' }[platform] ?? platform,
  };
}

/** The names of the programs whose version a command line asks for, in order. */
function probesIn(command: string): string[] {
  if (!/version|-[vV]/.test(command)) return [];
  return parseCommandLine(command).flatMap((simple) => {
    const texts = simple.words.map((word) => word.text);
    const name = programOf(simple);
    const [first = '', second = '', third, ...rest] = texts.slice(locateProgram(texts) + 1);
    if (isPython(name) && first === '-m' && MODULES.has(second) && third === '--version' && rest.length === 0)
      return [second];
    const asks = /^(?:--version|-V|-VV|-v|-version|version)$/.test(first) && second === '';
    if (!asks || (isPython(name) && first === '-v')) return [];
    return isPython(name) || isPip(name) || TOOLS.has(name) ? [name] : [];
  });
}

function programOf({ words }: ReturnType<typeof parseCommandLine>[number]): string {
  const texts = words.map((word) => word.text);
  return basename(texts[locateProgram(texts)] ?? '');
}

/** The word with which a tool's line begins: `Python 3.9`, `pip 23.0`, `openjdk 17`. */
function wordOf(name: string): string {
  if (isPython(name)) return 'python';
  if (isPip(name)) return 'pip';
  return { java: 'openjdk', rustc: 'rustc', 'docker-compose': 'docker' }[name] ?? name.toLowerCase();
}
