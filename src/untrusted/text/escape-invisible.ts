/** `\n`, `\t` and the plain space are layout; every other control, separator or invisible character is escaped. */
const NOT_SEEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Returns text for a terminal or a screen: characters that are invisible, or that would control the terminal, become
 * escapes such as `\u{202e}`. Nothing is dropped, so that a reviewer sees that a character is there and which one.
 * Idempotent. For display only: not reversible, since a backslash in the text stays unchanged.
 */
export function escapeInvisible(text: string): string {
  return text.replace(NOT_SEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}}`);
}
