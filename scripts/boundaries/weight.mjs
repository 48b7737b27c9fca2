import ts from 'typescript';

/** Below this share of the ceiling, the ceiling should fall to the weight. */
const SLACK = 0.99;

/**
 * Counts the tokens of a parsed file, without white space and comments. Names, literals, regular expressions, the parts of
 * a template and operators count as the parser reads them; what lies between (punctuation, keywords) is scanned.
 */
export function countTokens(source) {
  const ends = tokenEnds(source);
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, source.languageVariant, source.text);
  let count = 0;
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) {
    count += 1;
    const end = ends.get(scanner.getTokenStart());
    if (end !== undefined) scanner.resetTokenState(end);
  }
  return count;
}

/** Returns what is wrong with the weight: a violation above the ceiling, a note where the ceiling is too high. */
export function compareWeight(tokens, ceiling) {
  if (tokens > ceiling)
    return {
      violation: `${tokens} tokens are ${tokens - ceiling} above the ceiling of ${ceiling} (MAX_TOKENS in scripts/boundaries/architecture.mjs)`,
    };
  if (tokens >= ceiling * SLACK) return {};
  return {
    note: `${tokens} tokens are ${ceiling - tokens} below the ceiling: lower MAX_TOKENS in scripts/boundaries/architecture.mjs`,
  };
}

/** A scanner without a parser takes a regular expression for a division and misses where a template continues. */
function tokenEnds(source) {
  const ends = new Map();
  const visit = (node) => {
    if (ts.isToken(node) && node.end > node.pos) ends.set(node.getStart(source), node.end);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return ends;
}
