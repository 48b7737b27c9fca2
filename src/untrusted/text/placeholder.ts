/** Source of a regular expression for the redactor's markers, such as `[REDACTED:jwt]`. */
export const MARKER = String.raw`\[REDACTED:[a-z0-9-]{1,64}\]`;

/** Source of a regular expression for the placeholders of `generalise`. */
const GENERAL = String.raw`\[(?:path|url|email|host|user|value)\]`;
const GENERAL_IN_TEXT = new RegExp(GENERAL, 'g');

/** Source of a regular expression for every placeholder of removed text: markers, and those of `generalise`. */
export const PLACEHOLDER = `(?:${MARKER}|${GENERAL})`;

/** The text with each placeholder of `generalise` as a call shows it: `<host>`, or under the name that `names` has for it. */
export const placed = (text: string, names: Readonly<Record<string, string>>): string =>
  text.replace(GENERAL_IN_TEXT, (found) => {
    const name = found.slice(1, -1);
    return `<${names[name] ?? name}>`;
  });
