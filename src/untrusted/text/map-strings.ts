const MAX_DEPTH = 32;
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns a copy of a JSON-like value in which every string is changed; keys and all other values stay. Throws
 * TypeError for the keys `__proto__`, `constructor` and `prototype`, for values that are not JSON-like (a Date, a Map,
 * a function: their strings would be missed), and for more than 32 levels.
 */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  // The walk keeps the shape and replaces strings by strings.
  return walk(value, 0, change) as T;
}

function walk(value: unknown, depth: number, change: (text: string) => string): unknown {
  if (depth > MAX_DEPTH) throw new TypeError(`a value of more than ${MAX_DEPTH} levels is refused`);
  if (typeof value === 'string') return change(value);
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`a ${typeof value} is refused`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1, change));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError('a value that is not plain JSON is refused');
  const members: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (PROTOTYPE_KEYS.has(key)) throw new TypeError(`the key "${key}" is refused`);
    members[key] = walk(item, depth + 1, change);
  }
  return members;
}
