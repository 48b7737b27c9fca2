/** 12,345. A thin space would be highlighted as a hidden character beside foreign text. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3}){1,5}$)/g, ',');

export const plural = (n: number, one: string, many: string): string => (n === 1 ? one : many);

/** A number with its noun: "1 proposal", "1,234 proposals". */
export const counted = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${plural(n, one, many)}`;
