/** The longest name whose words are compared. */
const LONGEST = 80;
const WORDS = /[A-Z]?[a-z]{1,80}|[A-Z]{1,80}|\d{1,20}/g;

/**
 * True if one name has all words of the other, in their order, and more of its own: `get_ledger` and `get_ledger_v2`,
 * `search_flight` and `search_direct_flight`. One word says too little: `get` and `get_ledger`.
 */
export function isVariantName(first: string, second: string): boolean {
  const [short = [], long = []] = [wordsOf(first), wordsOf(second)].sort((a, b) => a.length - b.length);
  if (short.length < 2) return false;
  let at = 0;
  for (const word of long) if (word === short[at]) at += 1;
  return at === short.length;
}

const wordsOf = (name: string): string[] =>
  (name.slice(0, LONGEST).match(WORDS) ?? []).map((word) => word.toLowerCase());
