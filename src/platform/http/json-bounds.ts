export interface JsonBounds {
  /** Levels of brackets. */
  readonly depth: number;
  readonly values: number;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/**
 * Says why a JSON text must not be parsed: nested too deep for what reads it, or with so many values that parsing and
 * checking it would block every other request. Undefined if it may. The result means nothing for text that is not JSON.
 */
export function jsonProblem(json: string, bounds: JsonBounds): { code: string; detail: string } | undefined {
  const broken = brokenBound(json, bounds);
  if (broken === 'depth') return { code: 'request.too_deep', detail: `is nested more than ${bounds.depth} deep` };
  if (broken === 'values')
    return { code: 'request.too_many_values', detail: `has more than ${bounds.values} values and names` };
  return undefined;
}

/** True if the JSON text nests more than `limit` brackets. */
export const isDeeperThan = (limit: number, json: string): boolean =>
  brokenBound(json, { depth: limit, values: Number.POSITIVE_INFINITY }) !== undefined;

function brokenBound(json: string, { depth: maxDepth, values: maxValues }: JsonBounds): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at + 1);
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return 'depth';
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth -= 1;
    else if (code === COMMA || code === COLON) values += 1;
    if (values > maxValues) return 'values';
  }
  return undefined;
}

function endOfString(json: string, from: number): number {
  let at = from;
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return at;
}
