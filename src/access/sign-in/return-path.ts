const PLACEHOLDER_ORIGIN = 'https://nowhere.invalid';
const MAX_LENGTH = 500;

/**
 * Returns the requested path if it lies on this site, else undefined. Browsers interpret `//host`, `/\host` and tabs
 * differently, so the result is rebuilt from the parsed URL.
 */
export function safeReturnPath(wanted: string | undefined): string | undefined {
  if (wanted === undefined || wanted.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted))
    return undefined;
  if (!URL.canParse(wanted, PLACEHOLDER_ORIGIN)) return undefined;
  const url = new URL(wanted, PLACEHOLDER_ORIGIN);
  if (url.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith('//')) return undefined;
  const address = url.pathname + url.search;
  return /^\/sign-(?:in|out)(?:\/|\?|$)/.test(address) ? undefined : address;
}
