/** The runs of letters, digits and marks of a text, in lower case and in order; with repetitions. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
