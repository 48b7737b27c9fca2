/** `http://host:port` without a slash at the end, so that a server has one spelling. Throws an Error for a person. */
export function serverAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`"${address}" is not a server address. Example: http://127.0.0.1:4747`);
  if (url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new Error(`A server address has no path, query or user. Use ${url.origin}`);
  return url.origin;
}
