import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from './environment.js';

export interface Setting {
  readonly env: string;
  readonly schema: z.ZodType;
  readonly doc: string;
  /** Never shown, and never with a working default. */
  readonly secret?: true;
}

export const text = (fallback: string) => z.string().trim().min(1).default(fallback);
export const optionalText = z
  .string()
  .trim()
  .transform((value) => (value === '' ? undefined : value))
  .optional();
export const list = optionalText.transform((items) =>
  (items ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
export const integer = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
export const fraction = (fallback: number) => z.coerce.number().min(0).max(1).default(fallback);
/** US dollars, to a billionth. */
export const dollars = (fallback: number, max: number) => z.coerce.number().min(0).max(max).default(fallback);
export const optionalDollars = (max: number) =>
  optionalText.transform((value, context) => {
    if (value === undefined) return undefined;
    const parsed = z.coerce.number().min(0).max(max).safeParse(value);
    if (parsed.success) return parsed.data;
    context.addIssue(`must be a number from 0 to ${max}`);
    return z.NEVER;
  });
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true');
export const optionalFolder = optionalText.transform((path) =>
  path === undefined ? undefined : resolve(PROJECT_ROOT, path),
);
export const folder = (fallback: string) => text(fallback).transform((path) => resolve(PROJECT_ROOT, path));

/** Whether one of two folders is the other one or lies in it, also behind links, whether they are there yet or not. */
export function holdOneAnother(one: string, other: string): boolean {
  const [a, b] = [real(one), real(other)];
  return [relative(a, b), relative(b, a)].some((path) => !/^\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:/.test(path));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
  }
}

export const define = <S extends z.ZodType>(env: string, schema: S, doc: string) => ({ env, schema, doc });
export const secret = (env: string, doc: string) => ({ env, schema: optionalText, doc, secret: true as const });

/** An address without path: https, or http where nothing leaves this machine. */
export const webOrigin = (allowPath: boolean) =>
  optionalText.transform((value, context) => {
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isPlain = url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
    const isClean = url && !url.username && !url.search && !url.hash && (allowPath || url.pathname === '/');
    if (isClean && (url.protocol === 'https:' || isPlain)) return allowPath ? value : url.origin;
    context.addIssue('must be an https: address (http: only for this machine)');
    return z.NEVER;
  });
