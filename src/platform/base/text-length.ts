/** Characters of all strings in a JSON-like value together: the size of the work that its texts are. */
export function textLength(value: unknown): number {
  let length = 0;
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') length += next.length;
    else if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) rest.push(item);
  }
  return length;
}
