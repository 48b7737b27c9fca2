/** Source of a regular expression for the redactor's markers, such as `[REDACTED:jwt]`. */
export const MARKER = String.raw`\[REDACTED:[a-z0-9-]{1,64}\]`;

/** Source of a regular expression for every placeholder of removed text: markers, and those of `generalise`. */
export const PLACEHOLDER = String.raw`(?:${MARKER}|\[(?:path|url|email|host|user|value)\])`;
