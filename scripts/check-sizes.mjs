#!/usr/bin/env node
/**
 * node scripts/check-sizes.mjs [folder …]   (src, bench and scripts without an argument)
 *
 * Reports files above 300 lines and functions above 80. Larger ones are hard to change safely; split them by idea.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 80;

const chosen = process.argv.slice(2);
const folders = chosen.length > 0 ? chosen : ['src', 'bench', 'scripts'];
const files = folders.flatMap(sourceFiles);
const problems = files.flatMap(checkFile);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `sizes are fine in ${files.length} files` : `too large: ${problems.length}`);
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
  const lines = text.trimEnd().split('\n').length;
  const ofFile = lines > MAX_FILE_LINES ? [`${file}: ${lines} lines; at most ${MAX_FILE_LINES}`] : [];
  return [...ofFile, ...longFunctions(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))];
}

function longFunctions(source) {
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const problems = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && !isTestSuite(node)) {
      const first = lineOf(node.getStart(source));
      const lines = lineOf(node.end) - first + 1;
      if (lines > MAX_FUNCTION_LINES)
        problems.push(`${source.fileName}:${first}: ${nameOf(node)} has ${lines} lines; at most ${MAX_FUNCTION_LINES}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
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
