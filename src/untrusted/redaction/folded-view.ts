import { type DecodedView, linesWith } from './decoded-view.js';

/**
 * Words for "password" beyond ASCII, which the index of keywords does not reach; in the folded view they read as the
 * English word. The rules know the words that remain after accents are removed, such as `contrasena`.
 */
const PASSWORD_WORDS = /паролем|пароля|пароль|密码|密碼|パスワード|暗証番号|비밀번호|암호|hasło|şifre|κωδικός|סיסמה/giu;
/** The verb after such a word, with the words before it. */
const IS = /(?<=password)[ \t]{0,3}(?:是|は|为|為|는|은|:)/gu;

/** Letters that look like those of ASCII, by their shape. */
const LOOK_ALIKES = new Map(
  [
    ...['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'іi', 'јj', 'ѕs', 'ԁd', 'ɡg', 'ıi', 'łl', 'øo', 'đd', 'ßs'],
    ...['АA', 'ВB', 'ЕE', 'КK', 'МM', 'НH', 'ОO', 'РP', 'СC', 'ТT', 'УY', 'ХX', 'ІI', 'ЈJ', 'ЅS'],
    ...['ΑA', 'ΒB', 'ΕE', 'ΖZ', 'ΗH', 'ΙI', 'ΚK', 'ΜM', 'ΝN', 'ΟO', 'ΡP', 'ΤT', 'ΥY', 'ΧX', 'οo', 'νv'],
  ].map((pair) => [pair.slice(0, 1), pair.slice(-1)] as const),
);

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Marks, and letters that may read as ASCII: the scripts of Europe and the words above. Symbols and dashes stay. */
const FOLDABLE = /[\p{M}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const MAY_FOLD = /(?![\0-\x7f])[\p{M}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]|密|パ|暗|비|암|ס/u;
const MARKS = /\p{M}/gu;

/**
 * Yields the lines with such letters, with marks and accents removed, letters that look like ASCII replaced, and words
 * for "password" of other scripts translated.
 */
export function* foldedViews(text: string): Generator<DecodedView> {
  if (!BEYOND_ASCII.test(text)) return;
  for (const [start, end] of linesWith(text, MAY_FOLD)) {
    const words = replaced(part(text, start, end), PASSWORD_WORDS, () => ' password');
    const folded = replaced(words, FOLDABLE, fold);
    yield replaced(folded, IS, () => ': ');
  }
}

const part = (text: string, start: number, end: number): DecodedView => ({
  text: text.slice(start, end),
  sourceOffsets: Array.from({ length: end - start + 1 }, (_, at) => start + at),
});

const fold = (character: string): string =>
  LOOK_ALIKES.get(character) ?? character.normalize('NFKD').replace(MARKS, '');

function replaced(view: DecodedView, pattern: RegExp, replacement: (match: string) => string): DecodedView {
  let text = '';
  const at: number[] = [];
  let rest = 0;
  const take = (to: number): void => {
    text += view.text.slice(rest, to);
    for (let index = rest; index < to; index++) at.push(view.sourceOffsets[index] ?? 0);
  };
  for (const match of view.text.matchAll(pattern)) {
    take(match.index);
    const written = replacement(match[0]);
    for (let unit = 0; unit < written.length; unit++) at.push(view.sourceOffsets[match.index] ?? 0);
    text += written;
    rest = match.index + match[0].length;
  }
  take(view.text.length);
  at.push(view.sourceOffsets.at(-1) ?? 0);
  return { text, sourceOffsets: at };
}
