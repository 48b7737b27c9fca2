import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { basename, isPip, isPython, locateProgram } from '../actions/program.js';

/** The version of an interpreter or tool, as it printed it. */
export interface ToolVersion {
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
