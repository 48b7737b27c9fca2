#!/usr/bin/env node
/**
 * node scripts/check-sizes.mjs [folder …]   (src, bench, scripts and test without an argument)
 *
 * Reports functions above 80 lines, and spreads of an object literal, which only keep an object on one line. Notes files
 * above 400 lines, without failing: some hold one idea. Sizes of tests are not checked.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const LARGE_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 80;

/** Files that may be large, with the reason. */
const LARGE_FILES = [
  { path: /^src\/client\//, reason: 'a client has one method for each route' },
  { path: /^src\/console\/texts\//, reason: 'a table of texts' },
  { path: /^src\/platform\/config\//, reason: 'tables of settings and constants' },
  { path: /^scripts\/boundaries\/architecture\.mjs$/, reason: 'the architecture as a table' },
];

const chosen = process.argv.slice(2);
const folders = chosen.length > 0 ? chosen : ['src', 'bench', 'scripts', 'test'];
const files = folders.flatMap(sourceFiles);
const found = files.map(checkFile);
for (const note of found.flatMap(({ notes }) => notes)) console.log(`note: ${note}`);
const problems = found.flatMap((one) => one.problems);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `sizes are fine in ${files.length} files` : `problems: ${problems.length}`);
process.exit(problems.length === 0 ? 0 : 1);

function sourceFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => /\.(ts|mjs|js)$/.test(file) && !/\/platform\/(?:otlp\/)?generated\//.test(file))
    .sort();
}

function checkFile(file) {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const { functions, spreads } = measure(source);
  if (file.startsWith('test/')) return { notes: [], problems: spreads };
  const lines = text.trimEnd().split('\n').length;
  const isLarge = lines > LARGE_FILE_LINES && !LARGE_FILES.some(({ path }) => path.test(file));
  const notes = isLarge ? [`${file}: ${lines} lines, above ${LARGE_FILE_LINES}: is it one idea?`] : [];
  return { notes, problems: [...functions, ...spreads] };
}

function measure(source) {
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const functions = [];
  const spreads = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && !isTestSuite(node)) {
      const first = lineOf(node.getStart(source));
      const lines = lineOf(node.end) - first + 1;
      if (lines > MAX_FUNCTION_LINES)
        functions.push(
          `${source.fileName}:${first}: ${nameOf(node)} has ${lines} lines; at most ${MAX_FUNCTION_LINES}`,
        );
    }
    if (isUselessSpread(node))
      spreads.push(`${source.fileName}:${lineOf(node.getStart(source))}: a spread of an object literal does nothing`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { functions, spreads };
}

/** Detects `...{ kind, seed }` in an object. A condition (`...(x ? { x } : {})`) and a type check (`satisfies`) have a use. */
function isUselessSpread(node) {
  if (!ts.isSpreadAssignment(node)) return false;
  const { expression } = node;
  return ts.isObjectLiteralExpression(ts.isParenthesizedExpression(expression) ? expression.expression : expression);
}

/** The callback of `describe` groups tests; each test is measured instead. */
function isTestSuite(node) {
  return ts.isCallExpression(node.parent) && /^describe(\.|$)/.test(node.parent.expression.getText());
}

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return 'the constructor';
  const name = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return name === undefined ? 'a function' : `the function ${name.getText()}`;
}
