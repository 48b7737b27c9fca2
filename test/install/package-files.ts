import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the tarball may hold. Anything else is a mistake in `files` of package.json. */
const ALLOWED: readonly RegExp[] = [
  /^(?:README|CHANGELOG)\.md$/,
  /^(?:LICENSE|package\.json|npm-shrinkwrap\.json)$/,
  /^prisma\/migrations\/(?:migration_lock\.toml|\d{14}_\w+\/migration\.sql)$/,
  /^examples\/sample-fleet\/(?:expected\.json|[\w-]+\/[\w/-]+(?:\.meta)?\.jsonl?)$/,
  /^deploy\/(?:\.env\.example|compose\.yaml|Containerfile(?:\.dockerignore)?|[\w-]+\.(?:service|timer|sh)|ranking-profile\.json)$/,
  /^deploy\/(?:postgres\/[\w-]+\.sh|proxy\/(?:Caddyfile|nginx\.conf)|prometheus\/(?:alerts(?:\.test)?|prometheus)\.yaml|grafana\/guildbook\.json)$/,
  /^plugins\/guildbook-(?:hook|mcp)$/,
  /^plugins\/[a-z-]+\/(?:\.[a-z-]+\/(?:plugin\/)?plugin\.json|hooks\/(?:hooks|gate)\.json|\.mcp\.json)$/,
  /^plugins\/(?:gemini\/gemini-extension\.json|opencode\/guildbook\.js)$/,
  /^dist\/sbom\.cdx\.json$/,
  /^dist\/(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)?\.js$/,
  /^dist\/(?:[\w-]+\/)*[\w.-]+\.hbs$/,
  /^dist\/console\/assets\/[\w.-]+\.(?:css|svg|js)$/,
  /^dist\/platform\/otlp\/generated\/LICENSE$/,
  /^dist\/untrusted\/redaction\/gitleaks\/(?:LICENSE|[\w-]+\.json)$/,
];
/** The declarations of `guildbook/client` and `guildbook/sessions`. */
const ENTRY_POINTS = ['dist/client/agent.d.ts', 'dist/session-stores/sessions.d.ts'];
const FORBIDDEN = /\.spec\.|\.map$/;
const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;

/** Relative paths of all files of an unpacked package, without its dependencies. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('node_modules/'))
    .sort();
}

/** The files that the package should not have. Declarations are those that the entry points need, no more and no less. */
export function unexpectedFiles(folder: string, files: readonly string[]): string[] {
  const declarations = new Set(ENTRY_POINTS.flatMap((entry) => reachable(folder, entry)));
  const isAllowed = (file: string): boolean =>
    file.endsWith('.d.ts') ? declarations.has(file) : !FORBIDDEN.test(file) && ALLOWED.some((rule) => rule.test(file));
  return files.filter((file) => !isAllowed(file));
}

/** The declarations that a declaration imports, itself included. Throws if one is missing in the package. */
function reachable(folder: string, first: string): string[] {
  const found = new Set<string>();
  const waiting = [first];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, target = ''] of readFileSync(join(folder, file), 'utf8').matchAll(IMPORT))
      if (target.startsWith('.')) waiting.push(join(dirname(file), target.replace(/\.js$/, '.d.ts')));
  }
  return [...found];
}
