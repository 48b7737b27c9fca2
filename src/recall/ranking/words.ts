/** Returns the words of a text (runs of letters, digits and marks) in lower case, in order, with repetitions. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
