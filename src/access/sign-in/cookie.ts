/**
 * Browsers accept cookies with this prefix only from our own host over https (or from loopback), not from a subdomain's
 * script.
 */
const PREFIX = '__Host-guildbook';

export const SESSION_COOKIE = PREFIX;
/** Signs this browser in again, like the sign-in token of the command line. */
export const SIGN_IN_COOKIE = `${PREFIX}-sign-in`;

/** Set while the browser is at the identity provider. The provider's redirect must carry it, so it is not Strict. */
export const FLOW_COOKIE = `${PREFIX}-oidc`;

/** The page that the browser showed before it left for the identity provider. */
export const RETURN_COOKIE = `${PREFIX}-return`;

/** Returns the value of a cookie; undefined if it is missing or occurs twice, because one of the two may be planted. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Returns a cookie that scripts cannot read and requests from other sites do not carry (`Lax`: except a followed link).
 */
export function setCookie(name: string, value: string, seconds: number, sameSite: 'Strict' | 'Lax' = 'Strict'): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(seconds))}; HttpOnly; Secure; SameSite=${sameSite}`;
}

export const clearCookie = (name: string, sameSite: 'Strict' | 'Lax' = 'Strict'): string =>
  setCookie(name, '', 0, sameSite);
