import type { z } from 'zod';
import { CONSTANTS } from '../platform/config/constants.js';
import { jsonProblem } from '../platform/http/json-bounds.js';

/** A list in a text in a list is the deepest that clients were seen to send. */
const MAX_ROUNDS = 3;
/** As for a body, whose own bounds count a text as one value. */
const JSON_BOUNDS = { depth: 16, values: CONSTANTS.bodyLimitValues };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Validates what a client gave. Real clients send null for "not given", and text for a boolean, a number, a list or an
 * object. Only a value that the schema refuses is changed, into what the schema expects at its place, so a text that
 * reads `true` stays a text where the schema takes one. What stays refused is returned with the place of its field.
 */
export async function readArguments<S extends z.ZodType>(
  schema: S,
  given: unknown,
): Promise<{ value: z.output<S> } | { issues: z.core.$ZodIssue[] }> {
  const repaired: { root: unknown } = { root: structuredClone(given) };
  for (let round = 0; ; round += 1) {
    const result = await schema.safeParseAsync(repaired.root);
    if (result.success) return { value: result.data };
    const { issues } = result.error;
    if (round === MAX_ROUNDS || !issues.map((issue) => repair(repaired, ['root'], issue)).includes(true))
      return { issues };
  }
}

/** Changes the value that an issue names; returns whether it did. */
function repair(root: object, above: readonly PropertyKey[], issue: z.core.$ZodIssue): boolean {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union')
    return issue.errors.flat().some((inner) => repair(root, path, inner)) || dropNull(root, path);
  if (issue.code !== 'invalid_type') return dropNull(root, path);
  return dropNull(root, path) || convert(root, path, issue.expected);
}

function dropNull(root: object, path: readonly PropertyKey[]): boolean {
  const place = placeAt(root, path);
  // An element of a list has no name that could be left out.
  if (place === undefined || Array.isArray(place.holder) || place.holder[place.key] !== null) return false;
  return path.length > 1 && delete place.holder[place.key];
}

function convert(root: object, path: readonly PropertyKey[], expected: string): boolean {
  const place = placeAt(root, path);
  const text = place?.holder[place.key];
  if (place === undefined || typeof text !== 'string') return false;
  const value = convertedText(text.trim(), expected);
  if (value === undefined) return false;
  place.holder[place.key] = value;
  return true;
}

function convertedText(text: string, expected: string): unknown {
  switch (expected) {
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined;
    case 'number':
    case 'int':
      return /^-?\d{1,20}(?:\.\d{1,20})?$/.test(text) ? Number(text) : undefined;
    case 'array':
      if (text === '') return [];
      return text.startsWith('[') ? (jsonOf(text, Array.isArray) ?? [text]) : [text];
    case 'object':
    case 'record':
      return text.startsWith('{') ? jsonOf(text, isRecord) : undefined;
    default:
      return undefined;
  }
}

function jsonOf(text: string, is: (value: unknown) => boolean): unknown {
  if (jsonProblem(text, JSON_BOUNDS) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object or list that holds the value at a path. Only own keys count, so a path never leads to a prototype. */
function placeAt(
  root: object,
  path: readonly PropertyKey[],
): { holder: Record<PropertyKey, unknown>; key: PropertyKey } | undefined {
  let holder: unknown = root;
  for (const key of path.slice(0, -1))
    holder = isRecord(holder) && Object.hasOwn(holder, key) ? holder[String(key)] : undefined;
  const key = path.at(-1);
  if (key === undefined || !isRecord(holder) || !Object.hasOwn(holder, key)) return undefined;
  return { holder, key };
}
