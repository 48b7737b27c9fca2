import { createPrivateKey } from 'node:crypto';
import { resolve } from 'node:path';
import { validateCronExpression } from 'cron';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { gitRemote, isGitBranch } from './git-remote.js';
import { PLACES } from './places.js';

/** How a variable is parsed. `allowed` completes "must be …" and is shown in the documentation. */
export interface SettingType<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly allowed: string;
}

export interface Setting extends SettingType {
  readonly env: string;
  /** Its meaning, and when an operator changes it. */
  readonly doc: string;
  /** The section of the documentation with more detail. */
  readonly docsLink?: string;
  /** The value is never shown, and there is no working default. */
  readonly secret?: true;
  /** `<NAME>_FILE` is another setting, and not the name of a file with this value. */
  readonly hasOwnFile?: true;
}

export type DefinedSetting<S extends z.ZodType> = SettingType<S> & Pick<Setting, 'env' | 'doc' | 'docsLink'>;

export const define = <S extends z.ZodType>(
  env: string,
  kind: SettingType<S>,
  doc: string,
  see?: string,
): DefinedSetting<S> => ({
  env,
  ...kind,
  doc,
  ...(see === undefined ? {} : { docsLink: see }),
});
export const secret = <S extends z.ZodType<string | undefined>>(env: string, kind: SettingType<S>, doc: string) => ({
  ...define(env, kind, doc),
  secret: true as const,
});

const trimmed = z
  .string()
  .trim()
  .transform((value) => (value === '' ? undefined : value))
  .optional();
/** Unset text stays undefined; other text must pass `isAllowed`. */
const optional = (allowed: string, isAllowed: (value: string) => boolean) => ({
  allowed,
  schema: trimmed.refine((value) => value === undefined || isAllowed(value)),
});
const count = (value: number) => value.toLocaleString('en-US');

export const text = (fallback: string) => ({ allowed: 'text', schema: z.string().trim().min(1).default(fallback) });
export const matching = (fallback: string, pattern: RegExp, allowed: string) => ({
  allowed,
  schema: z.string().trim().regex(pattern).default(fallback),
});
export const optionalText = optional('text', () => true);
/** At least 128 bits if they are random, and not something that a person typed to try it out. */
const ONE_TIME_TOKEN = /^gbo_[A-Za-z0-9_-]{32,96}$/;
const MIN_CHARACTERS = 10;
export const oneTimeToken = optional('`gbo_` and 32 to 96 random letters, digits, `-` or `_`', (value) => {
  const secret = value.slice('gbo_'.length);
  const steps = [...secret].filter((character, n) => character.charCodeAt(0) === secret.charCodeAt(n - 1) + 1).length;
  return ONE_TIME_TOKEN.test(value) && new Set(secret).size >= MIN_CHARACTERS && steps < secret.length / 2;
});
/** It is sent in a header unchanged. */
export const credential = optional('printable characters without spaces', (value) => /^[!-~]{1,1000}$/.test(value));
/** Compared without a limit of attempts, so that it must not be guessable. */
export const metricsToken = optional('32 to 200 printable characters without spaces', (value) =>
  /^[!-~]{32,200}$/.test(value),
);
/** Longer than any key of this kind, also in base64. */
const MAX_KEY_CHARACTERS = 1_000;
/** Returns the PEM of an Ed25519 private key; undefined for any other text. */
function signingKeyPem(value: string): string | undefined {
  if (value.length > MAX_KEY_CHARACTERS) return undefined;
  try {
    const key = createPrivateKey(value.startsWith('-----') ? value : Buffer.from(value, 'base64').toString('latin1'));
    return key.asymmetricKeyType === 'ed25519' ? key.export({ format: 'pem', type: 'pkcs8' }).toString() : undefined;
  } catch {
    return undefined;
  }
}
export const signingKey = {
  allowed: 'an Ed25519 private key as PEM, or the base64 of the PEM on one line',
  schema: trimmed
    .refine((value) => value === undefined || signingKeyPem(value) !== undefined)
    .transform((value) => (value === undefined ? undefined : signingKeyPem(value))),
};
export const flag = (fallback: boolean) => ({
  allowed: '`true` or `false`',
  schema: z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true'),
});
export const oneOf = <const T extends string>(fallback: NoInfer<T>, options: readonly T[]) => ({
  allowed: `${options.slice(0, -1).map(code).join(', ')} or ${options.slice(-1).map(code)}`,
  schema: z.enum(options).default(fallback),
});
/** The type with `auto`, which is the default. */
export const autoOr = <S extends z.ZodType>({ schema, allowed }: SettingType<S>) => ({
  allowed: `\`auto\`, or ${allowed}`,
  schema: z.union([z.literal('auto'), schema]).default('auto'),
});
export const integer = (fallback: number, min: number, max: number) => ({
  allowed: `a whole number from ${count(min)} to ${count(max)}`,
  schema: z.coerce.number().int().min(min).max(max).default(fallback),
});
export const fraction = (fallback: number) => ({
  allowed: 'a number from 0 to 1',
  schema: z.coerce.number().min(0).max(1).default(fallback),
});
export const optionalFraction = {
  allowed: 'a number from 0 to 1',
  schema: trimmed
    .transform((value) => (value === undefined ? undefined : Number(value)))
    .pipe(z.number().min(0).max(1).optional()),
};
/** A score and a percentile, both with fractions, in this order. */
export const scoreAndPercentile = (minScore: number, percentile: number) => ({
  allowed: 'a score from 0 to 10 and a percentile from 0 to 100, separated by a comma',
  schema: z
    .string()
    .default(`${minScore},${percentile}`)
    .transform((value) => value.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part))))
    .pipe(z.tuple([z.number().min(0).max(10), z.number().min(0).max(100)])),
});
/** US dollars, to a billionth. */
export const dollars = (fallback: number, max: number) => ({
  allowed: `a number from 0 to ${count(max)}`,
  schema: z.coerce.number().min(0).max(max).default(fallback),
});
export const optionalDollars = (max: number) => ({
  allowed: `a number from 0 to ${count(max)}`,
  schema: trimmed
    .transform((value) => (value === undefined ? undefined : Number(value)))
    .pipe(z.number().min(0).max(max).optional()),
});

const items = (value: string | undefined) =>
  (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
/** Separated by commas. */
export const list = (allowed: string, isAllowed: (item: string) => boolean) => ({
  allowed,
  schema: trimmed.transform(items).refine((found) => found.every(isAllowed)),
});
export const someOf = <const T extends string>(options: readonly T[]) => ({
  allowed: `one or more of ${options.map(code).join(', ')}, separated by commas`,
  schema: trimmed
    .transform((value) => (value === undefined ? [...options] : items(value)))
    .pipe(z.array(z.enum(options))),
});
export const networks = list(
  'addresses or networks such as `10.0.0.0/8`, separated by commas',
  (item) => ipaddr.isValid(item) || ipaddr.isValidCIDR(item) || ['loopback', 'linklocal', 'uniquelocal'].includes(item),
);

export const folder = (fallback: string) => ({
  allowed: 'a folder',
  schema: z
    .string()
    .trim()
    .min(1)
    .default(fallback)
    .transform((path) => resolve(PLACES.base, path)),
});
const optionalPath = trimmed.transform((path) => (path === undefined ? undefined : resolve(PLACES.base, path)));
export const optionalFolder = { allowed: 'a folder', schema: optionalPath };
export const optionalFile = { allowed: 'a file', schema: optionalPath };

/** Checked by the library that runs the schedule. */
const isCron = (value: string) => validateCronExpression(value).valid;
export const cron = (fallback: string) => ({
  allowed: 'a cron expression such as `0 */6 * * *`',
  schema: z.string().trim().refine(isCron).default(fallback),
});
export const cronOrOff = (fallback: string) => ({
  allowed: '`off`, or a cron expression such as `30 3 * * *`',
  schema: z
    .string()
    .trim()
    .refine((value) => value === 'off' || isCron(value))
    .default(fallback),
});

const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** No user, query or fragment; https, or http if the connection stays on this machine. */
const isSafe = (url: URL) =>
  !url.username &&
  !url.search &&
  !url.hash &&
  (url.protocol === 'https:' || (url.protocol === 'http:' && THIS_MACHINE.test(url.hostname)));
const parsedUrl = (value: string) => (URL.canParse(value) ? new URL(value) : undefined);

export const safeAddress = optional('an `https:` address (`http:` only for this machine)', (value) => {
  const url = parsedUrl(value);
  return url !== undefined && isSafe(url);
});
export const safeOrigin = {
  allowed: 'an `https:` address without a path (`http:` only for this machine)',
  schema: trimmed
    .refine((value) => {
      const url = value === undefined ? undefined : parsedUrl(value);
      return value === undefined || (url !== undefined && isSafe(url) && url.pathname === '/');
    })
    .transform((value) => (value === undefined ? undefined : new URL(value).origin)),
};
/** For a service that an operator runs, perhaps in a private network. */
export const httpAddress = optional('an `http:` or `https:` address', (value) =>
  /^https?:$/.test(parsedUrl(value)?.protocol ?? ''),
);
/** Not parsed further: the driver also accepts socket addresses, which are not URLs. */
export const postgresAddress = optional('a `postgresql:` address', (value) => /^postgres(ql)?:\/\/\S+$/.test(value));
/** What the push accepts, by the same rule. */
export const remoteAddress = optional(
  'an `https:`, `ssh:` or `file:` address without a password',
  (value) => 'protocol' in gitRemote(value),
);
export const branchName = (fallback: string) => ({
  allowed: 'the name of a branch',
  schema: z.string().trim().refine(isGitBranch).default(fallback),
});

function code(value: string): string {
  return `\`${value}\``;
}
