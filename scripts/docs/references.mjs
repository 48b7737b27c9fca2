import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readMarkdown } from './markdown.mjs';

/** A path in `backticks` that starts with one of these folders must exist. Folders written at run time are excluded. */
const OUR_FOLDERS = /^(src|test|docs|scripts|prisma|bench|examples|\.ci)\//;
/** `<name>`, `{id}`, `$DIR`, `…` and `NNNN` are placeholders. */
const PLACEHOLDER = /[<>{}$…]|\.\.\.|NNNN/;
const NPM_BUILT_IN = new Map([
  ['npm test', 'test'],
  ['npm start', 'start'],
]);

/** Lists every broken reference in the Markdown `files`, one line for each. */
export function brokenReferences(files, committed) {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const documents = new Map(files.map((file) => [file, readMarkdown(readFileSync(file, 'utf8'))]));
  return [...documents].flatMap(([file, { links, code, commands }]) => [
    ...links.flatMap(({ text, line }) => report(file, line, checkLink(file, text, documents))),
    ...code.flatMap(({ text, line }) => report(file, line, checkPaths(text, committed), checkNpm(text, scripts))),
    ...commands.flatMap(({ text, line }) => report(file, line, checkScriptCall(text), checkNpm(text, scripts))),
  ]);
}

function report(file, line, ...reasons) {
  return reasons.filter((reason) => reason !== undefined).map((reason) => `${file}:${line}: ${reason}`);
}

function checkLink(file, target, documents) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) return undefined;
  const [path, anchor] = decodeURI(target).split('#');
  const linked = path === '' ? file : normalize(path.startsWith('/') ? path.slice(1) : join(dirname(file), path));
  if (!existsSync(linked)) return `links to ${target}, which does not exist`;
  const document = documents.get(linked);
  if (!anchor || document === undefined || document.anchors.has(anchor.toLowerCase())) return undefined;
  return `links to ${target}, but ${linked} has no such heading`;
}

/** Checks every word of inline code that looks like one of our paths. A glob must match at least one file. */
function checkPaths(code, committed) {
  for (const word of code.split(/\s+/)) {
    const path = word
      .replace(/^\.\//, '')
      .replace(/[,;.]$/, '')
      .replace(/(:\d+)+$|#.*$/, '');
    if (!OUR_FOLDERS.test(path) || PLACEHOLDER.test(path)) continue;
    const exists = path.includes('*') ? committed.some((file) => globToRegExp(path).test(file)) : existsSync(path);
    if (!exists) return `names ${path}, which does not exist`;
  }
  return undefined;
}

function globToRegExp(glob) {
  const pattern = glob.split('**').map((part) => part.replace(/[.+^()|[\]\\?]/g, '\\$&').replaceAll('*', '[^/]*'));
  return new RegExp(`^${pattern.join('.*')}`);
}

function checkNpm(text, scripts) {
  const names = [...text.matchAll(/\bnpm (?:run|run-script) (?:--?[\w-]+ )*([\w:.-]+)/g)].map(([, name]) => name);
  for (const [command, name] of NPM_BUILT_IN) if (text.startsWith(command)) names.push(name);
  const missing = names.find((name) => !(name in scripts));
  return missing === undefined ? undefined : `runs the npm script ${missing}, which package.json does not have`;
}

function checkScriptCall(text) {
  const path = /\bnode (?:--?[\w=-]+ )*((?:scripts|bench|examples)\/[^\s;&|]+)/.exec(text)?.[1];
  return path === undefined || PLACEHOLDER.test(path) || existsSync(path)
    ? undefined
    : `runs ${path}, which does not exist`;
}
