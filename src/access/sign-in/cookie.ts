/** Cookies with this prefix come from our own host over https (or from loopback), and from no subdomain's script. */
const PREFIX = '__Host-guildbook';

export const SESSION_COOKIE = PREFIX;
/** Signs this browser in again, as the sign-in token of the command line does. */
export const SIGN_IN_COOKIE = `${PREFIX}-sign-in`;

/** Between leaving for the identity provider and coming back, by a link that the provider sends: thus not Strict. */
export const FLOW_COOKIE = `${PREFIX}-oidc`;

/** Where the browser was before it left for the identity provider. */
export const RETURN_COOKIE = `${PREFIX}-return`;

/** The value of a cookie; nothing where it is missing or there are two, of which one would be somebody else's. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/** A cookie that no script reads and that no other site's request carries (`Lax`: none but a followed link). */
export function setCookie(name: string, value: string, seconds: number, sameSite: 'Strict' | 'Lax' = 'Strict'): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(seconds))}; HttpOnly; Secure; SameSite=${sameSite}`;
}

export const clearCookie = (name: string, sameSite: 'Strict' | 'Lax' = 'Strict'): string =>
  setCookie(name, '', 0, sameSite);
