import type { Danger } from './danger.js';

/** Programs whose purpose is a check of the work. */
const CHECKERS: ReadonlySet<string> = new Set(
  `pytest py.test tox nox nosetests jest vitest mocha ava rspec phpunit playwright cypress ctest karma ruff flake8 pylint mypy
   pyright isort eslint biome tsc vue-tsc standard stylelint rubocop phpstan psalm golangci-lint staticcheck shellcheck hadolint
   yamllint markdownlint actionlint pre-commit checkov trivy snyk bandit safety semgrep gitleaks commitlint lint-staged`.split(
    /\s+/,
  ),
);
/** Programs that run a check by the name of a target, script or subcommand. */
const RUNNERS: ReadonlySet<string> = new Set(
  `npm pnpm yarn bun deno make gmake just task cargo go mvn mvnw gradle gradlew dotnet rake bundle composer mix sbt swift terraform
   python python3 uv poetry pipenv nx turbo lerna bazel rails cmake npx bunx pnpx uvx`.split(/\s+/),
);
const CHECK_NAME =
  /^(?:(?:unit-?|integration-?)?tests?|t|lint(?:er)?|checks?|type-?check|verify|validate|audit|coverage|e2e|spec|clippy|vet|doctest)(?:[:_-].{0,60})?$|^.{1,60}:(?:test|lint|check|types)$|^unittest$/i;
/** Options that select a part of the checks: the rest is not run. */
const SELECTION: readonly (readonly [programs: RegExp, options: ReadonlySet<string>])[] = [
  [/^(?:pytest|py\.test)$/, new Set(['-k', '-m', '--deselect', '--ignore', '--ignore-glob', '--lf', '--last-failed'])],
  [
    /^(?:jest|vitest)$/,
    new Set(['-t', '--testNamePattern', '--testPathPattern', '--testPathPatterns', '--onlyChanged', '-o']),
  ],
  [/^(?:mocha|playwright|cypress)$/, new Set(['-g', '--grep', '-f', '--fgrep', '--grep-invert', '--spec'])],
  [/^go$/, new Set(['-run', '-skip', '-short'])],
  [/^(?:mvn|mvnw|gradle|gradlew)$/, new Set(['-Dtest', '-Dit.test', '--tests', '-x', '--exclude-task', '-Dgroups'])],
  [/^(?:cargo|phpunit|dotnet|swift)$/, new Set(['--skip', '--filter', '--exclude-group', '--group', '--exclude'])],
  [/^(?:npm|pnpm|yarn|bun)$/, new Set(['-t', '--testNamePattern', '--grep', '-k', '--filter'])],
  [
    /^(?:tox|nox|pre-commit|mypy|eslint|ruff|flake8)$/,
    new Set(['-e', '-s', '--skip-env', '--exclude', '--ignore', '--ignore-pattern']),
  ],
];
/** Forms of other classes that override a refusal instead of meeting it. */
const OVERRIDE =
  /(?:^|\s)(?:-f|--force|--force-yes|--yolo|--allow-all[\w-]{0,40}|--(?:allow-)?dangerously-[\w-]{1,60}|--skip-permissions|--bypass-permissions|--trust-all-tools)(?:\s|$)/;

/** True if a simple command checks the work: `pytest`, `npm run lint`, `cargo clippy`. `words`: without set-up. */
export function runsCheck(words: readonly string[]): boolean {
  const plain = words.slice(0, 8).filter((word) => !word.startsWith('-'));
  const program = (plain[0] ?? '').replace(/^.{0,200}\//, '');
  if (CHECKERS.has(program)) return true;
  const rest = plain.slice(1, 4);
  return RUNNERS.has(program) && rest.some((word) => CHECK_NAME.test(word) || CHECKERS.has(word));
}

/** True for an option that runs only a part of the checks of the program before it: `-k` of pytest. */
export function selectsChecks(words: readonly string[], option: string): boolean {
  // The `-m` of `python -m pytest` names the module; another one behind it would select.
  const last = words.lastIndexOf(option);
  const before = last < 0 ? words : words.slice(0, last);
  return SELECTION.some(([programs, options]) => options.has(option) && before.some((word) => programs.test(word)));
}

/** True for a danger that passes a check by skipping it, or a refusal by overriding it. */
export function overridesCheck({ class: kind, form }: Danger): boolean {
  return kind === 'check' || OVERRIDE.test(form);
}
