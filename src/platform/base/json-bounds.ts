/** True if the JSON text nests more than `limit` brackets. The result means nothing for text that is not JSON. */
export function isDeeperThan(limit: number, json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') {
      at = endOfString(json, at + 1);
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}

function endOfString(json: string, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
