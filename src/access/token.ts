import { sha256 } from '../platform/canonical-json.js';

export type TokenKind = 'one-time' | 'sign-in' | 'personal' | 'token';

/** Prefixes tell a person (and a secret scanner) what a leaked text was. */
const PREFIX: Record<TokenKind, string> = {
  'one-time': 'gbo_',
  'sign-in': 'gbs_',
  personal: 'gbp_',
  token: 'gbt_',
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

/** The token of an Authorization header, or nothing when it is not a bearer of ours. */
export function bearerToken(header: string | undefined): string | undefined {
  return header?.match(/^Bearer (gb[ospt]_[A-Za-z0-9_-]{20,100})$/i)?.[1];
}
