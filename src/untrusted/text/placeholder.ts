/** Source of a regular expression for the redactor's own markers, such as `[REDACTED:jwt]`. */
export const MARKER = String.raw`\[REDACTED:[a-z0-9-]{1,64}\]`;

/** Source for every placeholder that stands for text taken away: markers, and what `generalise` leaves. */
export const PLACEHOLDER = String.raw`(?:${MARKER}|\[(?:path|url|email|host)\])`;
