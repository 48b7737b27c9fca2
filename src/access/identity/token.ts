import { sha256 } from '../../platform/base/canonical-json.js';

export type TokenKind = 'one_time' | 'sign_in' | 'personal' | 'token' | 'session' | 'link';

/** Prefixes tell a person (and a secret scanner) what a leaked text was. */
const PREFIX: Record<TokenKind, string> = {
  one_time: 'gbo_',
  sign_in: 'gbs_',
  personal: 'gbp_',
  token: 'gbt_',
  session: 'gbw_',
  link: 'gbl_',
};

export interface MintedToken {
  /** Shown once, never stored. */
  readonly token: string;
  /** Stored: SHA-256 of the token. The secret has 256 random bits, so a slow hash would add nothing. */
  readonly hash: string;
  /** Stored for people to recognise it by. */
  readonly prefix: string;
}

/** A token of `kind` from 32 random bytes as text. */
export function mintToken(kind: TokenKind, secret: string): MintedToken {
  const token = `${PREFIX[kind]}${secret}`;
  return { token, hash: hashToken(token), prefix: token.slice(0, 10) };
}

export const hashToken = (token: string): string => sha256(token);

const SECRET = '[A-Za-z0-9_-]{20,100}';
const BEARER = new RegExp(`^Bearer (gb[ospt]_${SECRET})$`, 'i');
const SESSION = new RegExp(`^gbw_${SECRET}$`);
const LINK = new RegExp(`^gb[ol]_${SECRET}$`);

/** The token of an Authorization header, or nothing when it is not a bearer of ours. */
export function bearerToken(header: string | undefined): string | undefined {
  return header?.match(BEARER)?.[1];
}

/** What a session cookie holds, if it is that. */
export const sessionToken = (value: string | undefined): string | undefined => value?.match(SESSION)?.[0];

/** What a link to the sign-in page holds, if it is that. */
export const linkToken = (value: string | undefined): string | undefined => value?.match(LINK)?.[0];
