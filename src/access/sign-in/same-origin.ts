/** Headers in which a browser itself states the origin of a request; a page cannot set them. */
export interface RequestOrigin {
  readonly method: string;
  readonly site?: string | undefined;
  readonly mode?: string | undefined;
  readonly origin?: string | undefined;
}

/** Returns the origin of this server: the configured one, or else the one that the request names. */
export const serverOrigin = (
  { publicUrl }: { readonly publicUrl?: string | undefined },
  { protocol, headers }: { readonly protocol: string; readonly headers: { readonly host?: string | undefined } },
): string => publicUrl ?? `${protocol}://${headers.host ?? ''}`;

const SAFE = new Set(['GET', 'HEAD']);

/**
 * True if a request with a cookie comes from a page of this server. A request that changes something must prove it,
 * even against a sibling subdomain, which SameSite cookies do not stop. A request that reads must not come from another
 * site's page.
 */
export function isSameOrigin({ method, site, mode, origin }: RequestOrigin, own: string): boolean {
  if (SAFE.has(method)) return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate';
  return site === undefined ? origin === own : site === 'same-origin';
}
