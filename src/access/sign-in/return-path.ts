const PLACEHOLDER_ORIGIN = 'https://nowhere.invalid';
const MAX_LENGTH = 500;

/**
 * Where a page of ours asked to be returned to, if that is within our site; else undefined. Browsers read `//host`,
 * `/\host` and tabs in ways of their own, so what is handed back is what the URL parser made of it, and nothing else.
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
