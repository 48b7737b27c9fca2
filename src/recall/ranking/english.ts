import { createRequire } from 'node:module';

/** What a stem tells that the list does not hold: it is rare in English, as the names of programs and errors are. */
const RARE = 9;
/** A bare number is in texts about anything. */
const NUMBER = 2.5;
const IS_NUMBER = /^\d{1,12}$/;

// scripts/update-english-words.mjs writes the file in this shape: stems by weight, apart by blanks.
const LISTED = createRequire(import.meta.url)('./english/words.json') as Readonly<Record<string, string>>;
const INFORMATION: ReadonlyMap<string, number> = new Map(
  Object.entries(LISTED).flatMap(([weight, stems]) => stems.split(' ').map((stem) => [stem, Number(weight)] as const)),
);

/**
 * How much it tells that a text of 30 words of English holds this stem, in nats: -ln of the share of such texts that do,
 * from 0.3 ("you") to 9 (SUBTLEXus, 51 million words of spoken English).
 */
export const englishInformation = (stem: string): number =>
  IS_NUMBER.test(stem) ? Math.min(NUMBER, INFORMATION.get(stem) ?? NUMBER) : (INFORMATION.get(stem) ?? RARE);
