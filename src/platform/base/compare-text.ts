/** Compares texts by code units, so that what is stored or shown has the same order on every machine. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
