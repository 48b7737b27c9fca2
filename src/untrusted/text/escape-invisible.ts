/** `\n`, `\t` and the plain space are layout; every other control, separator or invisible character is shown. */
const NOT_SEEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Text for a terminal or a screen: what cannot be seen, or would steer the terminal, becomes an escape such as
 * `\u{202e}` (threats §7 rows 4 and 6). Nothing is dropped: a reviewer sees that it is there, and which one.
 * Idempotent. For eyes only; not reversible, since a backslash in the text stays as it is.
 */
export function escapeInvisible(text: string): string {
  return text.replace(NOT_SEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}}`);
}
