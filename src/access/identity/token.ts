import { sha256 } from '../../platform/base/canonical-json.js';

export type TokenKind = 'one_time' | 'sign_in' | 'personal' | 'token' | 'session' | 'link';

/** Prefixes show a person (and a secret scanner) what a leaked text was. */
const PREFIX: Record<TokenKind, string> = {
  one_time: 'gbo_',
  sign_in: 'gbs_',
  personal: 'gbp_',
  token: 'gbt_',
  session: 'gbw_',
  link: 'gbl_',
};

/** Six characters of the secret. */
const PREFIX_LENGTH = 10;

export interface MintedToken {
  /** Shown once, never stored. */
  readonly token: string;
  /** Stored: SHA-256 of the token. The secret has 256 random bits, so a slow hash would add nothing. */
  readonly hash: string;
  /** Stored so that people can recognise the token. */
  readonly prefix: string;
}

/** Creates a token of `kind` from 32 random bytes as text. */
export function mintToken(kind: TokenKind, secret: string): MintedToken {
  const token = `${PREFIX[kind]}${secret}`;
  return keepToken(token);
}

/** The stored form of a token that was made elsewhere. */
export const keepToken = (token: string): MintedToken => ({
  token,
  hash: hashToken(token),
  prefix: token.slice(0, PREFIX_LENGTH),
});

export const hashToken = (token: string): string => sha256(token);

const SECRET = '[A-Za-z0-9_-]{20,100}';
const BEARER = new RegExp(`^Bearer (gb[ospt]_${SECRET})$`, 'i');
const SESSION = new RegExp(`^gbw_${SECRET}$`);
const LINK = new RegExp(`^gb[ol]_${SECRET}$`);

/** Returns the token of an Authorization header; undefined if it is not a bearer token of Guildbook. */
export function bearerToken(header: string | undefined): string | undefined {
  return header?.match(BEARER)?.[1];
}

/** Returns the token of a session cookie; undefined if it is malformed. */
export const sessionToken = (value: string | undefined): string | undefined => value?.match(SESSION)?.[0];

/** Returns the token of a sign-in link; undefined if it is malformed. */
export const linkToken = (value: string | undefined): string | undefined => value?.match(LINK)?.[0];
