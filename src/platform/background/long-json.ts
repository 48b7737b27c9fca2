import { Yielder } from './yielder.js';

/** From so many items on, a list may take longer to write than others should wait. */
const LONG = 20;
const PIECE_CHARACTERS = 32_768;

/** Whether an answer holds a long list, such as `{ items, next }`. */
export const hasLongList = (answer: unknown): answer is Record<string, unknown> =>
  typeof answer === 'object' &&
  answer !== null &&
  !Array.isArray(answer) &&
  Object.values(answer).some((value) => Array.isArray(value) && value.length >= LONG);

/** `JSON.stringify(answer)` in pieces: lists are written item by item, and everything else runs in between. */
export async function* jsonPieces(answer: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  const yielder = new Yielder();
  let text = '{';
  let separator = '';
  for (const [key, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    text += `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    text += '[';
    for (const [at, item] of value.entries()) {
      text += `${at === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`;
      await yielder.yieldIfDue();
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
    text += ']';
  }
  yield `${text}}`;
}
