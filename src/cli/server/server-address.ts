/** `http://host:port` without a slash at the end, so that one server has one spelling. Throws what a person can act on. */
export function serverAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`"${given}" is not the address of a server. Write it like http://127.0.0.1:4747`);
  if (url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new Error(`The address of the server is ${url.origin}, without a path, a query or a user.`);
  return url.origin;
}
