import type { ExecutionReport } from '../report/execution-report.schema.js';
import type { ParsedCall } from './trial.js';

/**
 * The language or platform of a project, as far as it can be recognised. Patterns in two kinds of project are stronger
 * evidence.
 */
export type ProjectKind = keyof typeof SIGNS;

/**
 * Endings of source files, and programs that build, test or run only such projects. General interpreters and tools
 * (python, node, bash, make) are not listed: their use does not show the kind of project.
 */
const SIGNS = {
  python: { endings: 'py pyi ipynb', programs: 'pytest tox poetry pdm pipenv mypy ruff flake8 black' },
  javascript: {
    endings: 'js jsx ts tsx mjs cjs mts cts vue svelte',
    programs: 'npm npx yarn pnpm jest vitest tsc eslint',
  },
  rust: { endings: 'rs', programs: 'cargo rustc rustup' },
  go: { endings: 'go', programs: 'go gofmt golangci-lint' },
  jvm: { endings: 'java kt kts scala groovy', programs: 'mvn mvnw gradle gradlew javac sbt' },
  dotnet: { endings: 'cs fs vb csproj sln', programs: 'dotnet msbuild nuget' },
  ruby: { endings: 'rb erb gemspec', programs: 'bundle rake rspec rubocop gem' },
  php: { endings: 'php', programs: 'composer phpunit artisan' },
  c: { endings: 'c h cc cpp cxx hpp hh', programs: 'cmake gcc clang ctest ninja' },
  swift: { endings: 'swift', programs: 'swift xcodebuild' },
  elixir: { endings: 'ex exs', programs: 'mix elixir' },
} as const;

const KINDS = Object.keys(SIGNS).filter((name): name is ProjectKind => name in SIGNS);
const BY_ENDING = signs('endings');
const BY_PROGRAM = signs('programs');
/** Labels that name a kind: `language:rust`, `lang=go`, `stack:python`, or the bare name. */
const LABEL = /^(?:(?:language|lang|stack|ecosystem|project)[:=] ?)?([a-z.#+]{1,20})$/;
const OTHER_NAMES: ReadonlyMap<string, ProjectKind> = new Map([
  ['typescript', 'javascript'],
  ['node', 'javascript'],
  ['node.js', 'javascript'],
  ['nodejs', 'javascript'],
  ['golang', 'go'],
  ['java', 'jvm'],
  ['kotlin', 'jvm'],
  ['scala', 'jvm'],
  ['c++', 'c'],
  ['cpp', 'c'],
  ['c#', 'dotnet'],
  ['csharp', 'dotnet'],
]);

/** Minimum number of calls that indicate a kind, and the share of all indicating calls that must agree. */
const MARKERS = { fewest: 2, share: 2 / 3 } as const;

/**
 * The kind of project that an execution worked in: from its labels (the report's tags and task type), otherwise from
 * most of its calls. Undefined if they say nothing or disagree.
 */
export function projectKind(
  { tags, taskType }: Pick<ExecutionReport, 'tags' | 'taskType'>,
  calls: readonly Pick<ParsedCall, 'shape'>[],
): ProjectKind | undefined {
  const labelKinds = new Set([...(tags ?? []), taskType ?? ''].flatMap((label) => kindOfLabel(label) ?? []));
  if (labelKinds.size === 1) return [...labelKinds][0];
  if (labelKinds.size > 1) return undefined;
  const votes = new Map<ProjectKind, number>();
  let total = 0;
  for (const { shape } of calls) {
    const kind = BY_PROGRAM.get(shape.program) ?? kindOfFiles(shape.fileKinds);
    if (kind === undefined) continue;
    votes.set(kind, (votes.get(kind) ?? 0) + 1);
    total += 1;
  }
  return KINDS.find((kind) => {
    const count = votes.get(kind) ?? 0;
    return count >= MARKERS.fewest && count >= MARKERS.share * total;
  });
}

function kindOfLabel(label: string): ProjectKind | undefined {
  const name = LABEL.exec(label.trim().toLowerCase())?.[1] ?? '';
  return KINDS.find((kind) => kind === name) ?? OTHER_NAMES.get(name);
}

function kindOfFiles(endings: readonly string[]): ProjectKind | undefined {
  for (const ending of endings) {
    const kind = BY_ENDING.get(ending.slice(1));
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function signs(of: 'endings' | 'programs'): ReadonlyMap<string, ProjectKind> {
  return new Map(KINDS.flatMap((kind) => SIGNS[kind][of].split(' ').map((sign) => [sign, kind] as const)));
}
