import { CliError, EXIT } from '../terminal/cli-error.js';

/** `http://host:port` without a slash at the end, so that a server has one spelling. Throws a `CliError`. */
export function serverAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw invalidAddress(`"${address}" is not a server address. Example: http://127.0.0.1:4747`);
  if (url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw invalidAddress(`A server address has no path, query or user. Use ${url.origin}`);
  return url.origin;
}

const invalidAddress = (message: string): CliError => new CliError(EXIT.usage, 'server.invalid_address', message);
