import { InvalidArgumentError } from 'commander';

/** Parses an option that counts days. The server checks the bounds. */
export function parseDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Enter a whole number of days.');
  return Number(text);
}
