import { InvalidArgumentError } from 'commander';

/** An option that counts days; the server knows its bounds. */
export function parseDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It is a whole number of days.');
  return Number(text);
}
