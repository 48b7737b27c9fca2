/** What a browser says by itself about where a request comes from; a page cannot set these headers. */
export interface RequestOrigin {
  readonly method: string;
  readonly site?: string | undefined;
  readonly mode?: string | undefined;
  readonly origin?: string | undefined;
}

/** The address of this server as its callers have it: the configured one, or else the one that this request names. */
export const serverOrigin = (
  { publicUrl }: { readonly publicUrl?: string | undefined },
  { protocol, headers }: { readonly protocol: string; readonly headers: { readonly host?: string | undefined } },
): string => publicUrl ?? `${protocol}://${headers.host ?? ''}`;

const SAFE = new Set(['GET', 'HEAD']);

/**
 * Whether a request that a browser may have made comes from our own pages. One that changes something has to prove it,
 * also against a sibling subdomain, to which SameSite cookies are no bar; one that reads must not be another page's.
 */
export function isSameOrigin({ method, site, mode, origin }: RequestOrigin, own: string): boolean {
  if (SAFE.has(method)) return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate';
  return site === undefined ? origin === own : site === 'same-origin';
}
