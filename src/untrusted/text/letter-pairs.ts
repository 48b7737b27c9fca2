const LETTERS = 26;

/**
 * How often two letters follow each other in English prose and in the names of programs, on a logarithmic scale from 0
 * (about a sixtieth of chance) to 9 (sixteen times chance): row by first letter, column by second. Counted over
 * published skills, this project and the standard library of Python; only the counts are stored.
 */
const PAIRS = [
  '56772462615878163878555451',
  '62326213540622610442500050',
  '72437227606632831647611040',
  '74358431711442631563512040',
  '75776653532778465987365861',
  '62325510700512710634500030',
  '52217245501445421664400010',
  '71127001601221620425300030',
  '55776660103779853688250405',
  '30015000000000500050200000',
  '30237220600213230142302000',
  '73468523702723730366642060',
  '85348110602452670252410120',
  '72787582624535751378652040',
  '56664641526679670866766220',
  '72247224501622760856611150',
  '20020000100310000110600000',
  '73569461805456840677642060',
  '52638326706473663378624150',
  '83539428821443751876623471',
  '55556440500767360767210100',
  '61207010600011410121000010',
  '60125006600114610441003000',
  '30316000300331260016000100',
  '42413250300544460354015000',
  '30004000200000100000000000',
].join('');

const PAIR_FREQUENCY = Int8Array.from(PAIRS, Number);

/** Random letters have a mean of 3.1, and 95 of 100 such tokens are below 4.6; words and names are above 6. */
const RANDOM_BELOW = 4.8;

function letter(code: number): number {
  const lower = code | 32;
  return lower >= 97 && lower <= 122 ? lower - 97 : -1;
}

/** Returns how much the letter pairs resemble words: the mean weight, and the number of pairs. */
export function letterPairScore(text: string): { readonly mean: number; readonly pairs: number } {
  let sum = 0;
  let pairs = 0;
  let before = -1;
  for (let at = 0; at < text.length; at++) {
    const now = letter(text.charCodeAt(at));
    if (before >= 0 && now >= 0) {
      sum += PAIR_FREQUENCY[before * LETTERS + now] ?? 0;
      pairs++;
    }
    before = now;
  }
  return { mean: pairs === 0 ? 0 : sum / pairs, pairs };
}

/** True if the text consists of words: most of it is letter pairs, and they are as frequent as in words. */
export function looksLikeWords(text: string): boolean {
  const { mean, pairs } = letterPairScore(text);
  return pairs >= text.length * 0.35 && mean >= RANDOM_BELOW;
}
