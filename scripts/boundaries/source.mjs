import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import ts from 'typescript';
import { countTokens } from './weight.mjs';

const EMPTY = { imports: [], uses: [], classes: [], tokens: 0 };

/**
 * Returns all files of a source folder as `{ file, imports, uses, classes, tokens }`, where `file` is relative, with forward
 * slashes. `imports` and `uses` hold `{ name, line }`: the path of the .ts file for a relative import, the specifier for a
 * package. A type import counts like a value, because it is a dependency too. `classes` holds `{ name, base, line }`, where
 * `base` names the class that it extends, as `file#Name`. Reads .ts files except generated ones.
 */
export function readSources(root) {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .split(sep)
        .join('/'),
    )
    .filter((file) => !/^platform\/(?:otlp\/)?generated\//.test(file));
  return names.sort().map((file) => ({ file, ...(file.endsWith('.ts') ? readSource(root, file) : EMPTY) }));
}

function readSource(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = { imports: [], uses: [], classes: [], tokens: countTokens(source) };
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const note = (list, name, node) => list.push({ name, line: lineOf(node) });
  const origins = importedNames(file, source);

  const visit = (node) => {
    const specifier = importedSpecifier(node);
    if (specifier !== undefined) note(found.imports, resolveSpecifier(file, specifier), node);
    const use = reservedUse(node);
    if (use !== undefined) note(found.uses, use, node);
    if (ts.isClassLike(node) && node.name !== undefined) {
      const base = baseOf(node);
      const from = base === undefined ? undefined : (origins.get(base) ?? `${file}#${base}`);
      found.classes.push({ name: node.name.text, base: from, line: lineOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The local names of imports, with the file and the name there, as `file#Name`. */
function importedNames(file, source) {
  const names = new Map();
  for (const statement of source.statements.filter(ts.isImportDeclaration)) {
    const target = resolveSpecifier(file, statement.moduleSpecifier.text);
    const bindings = statement.importClause?.namedBindings;
    for (const element of bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [])
      names.set(element.name.text, `${target}#${importedName(element)}`);
  }
  return names;
}

/** Returns the name of the class that a class extends, if it is a plain name. */
function baseOf(node) {
  const clause = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const base = clause?.types[0].expression;
  return base !== undefined && ts.isIdentifier(base) ? base.text : undefined;
}

/** Returns the specifier of `import`, `export … from`, `import()`, `import('…').Type` and `require()`. */
function importedSpecifier(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text;
  if (ts.isImportTypeNode(node)) return node.argument.literal?.text;
  if (isImportCall(node))
    return node.arguments[0] && ts.isStringLiteralLike(node.arguments[0]) ? node.arguments[0].text : undefined;
  return undefined;
}

function isImportCall(node) {
  if (!ts.isCallExpression(node)) return false;
  return node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require';
}

function resolveSpecifier(file, specifier) {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
}

/** Returns the name in RESERVED_USES (architecture.mjs) for a node that is a reserved use. */
function reservedUse(node) {
  if (isImportCall(node) && importedSpecifier(node) === undefined) return 'computed import';
  if (readsEnvironment(node)) return 'process.env';
  if (readsClock(node)) return 'clock';
  if (makesRandom(node)) return 'random';
  if (yields(node)) return 'setImmediate';
  return usesSql(node);
}

/** Detects `setImmediate(…)` and its import. */
function yields(node) {
  if (ts.isImportSpecifier(node)) return importedName(node) === 'setImmediate';
  return ts.isCallExpression(node) && lastName(node.expression) === 'setImmediate';
}

/** Detects `x.$queryRaw`, its variants for strings, and `Prisma.raw`; also destructured. */
function usesSql(node) {
  const name = ts.isBindingElement(node) ? (node.propertyName ?? node.name).getText() : memberName(node);
  if (/^\$(?:query|execute)Raw$/.test(name)) return 'hand-written sql';
  if (/^\$(?:query|execute)Raw\w+$/.test(name)) return 'sql from a string';
  return memberOf(node, 'Prisma') === 'raw' ? 'sql fragment from a string' : undefined;
}

/** Detects `process.env`, `process['env']`, `const { env } = process` and `import { env } from 'node:process'`. */
function readsEnvironment(node) {
  if (memberOf(node, 'process') === 'env') return true;
  if (ts.isVariableDeclaration(node) && node.initializer && lastName(node.initializer) === 'process')
    return !ts.isIdentifier(node.name);
  return (
    ts.isImportSpecifier(node) &&
    importedName(node) === 'env' &&
    /^(node:)?process$/.test(node.parent.parent.parent.moduleSpecifier.text)
  );
}

/** Detects `Date.now`, `Date()` and `new Date()`. `new Date(text)` and `Date.parse` read no clock. */
function readsClock(node) {
  if (memberOf(node, 'Date') === 'now') return true;
  if (ts.isNewExpression(node)) return lastName(node.expression) === 'Date' && (node.arguments ?? []).length === 0;
  return ts.isCallExpression(node) && lastName(node.expression) === 'Date';
}

function makesRandom(node) {
  if (memberOf(node, 'Math') === 'random') return true;
  if (ts.isImportSpecifier(node)) return importedName(node) === 'randomUUID';
  return ts.isPropertyAccessExpression(node) && node.name.text === 'randomUUID';
}

/** Returns `b` of `a.b` and `a['b']` where `a` is `owner`, also after another name as in `globalThis.process.env`. */
function memberOf(node, owner) {
  const name = memberName(node);
  return name !== undefined && lastName(node.expression) === owner ? name : undefined;
}

/** Returns `b` of `a.b` and `a['b']`. */
function memberName(node) {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isElementAccessExpression(node) ? node.argumentExpression.text : undefined;
}

function lastName(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined;
}

function importedName(specifier) {
  return (specifier.propertyName ?? specifier.name).text;
}
