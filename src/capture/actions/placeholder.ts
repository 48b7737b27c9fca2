const PLACEHOLDER = /^\[[a-z][a-z0-9:._-]{0,20}\]$/;

/** True for a word that stands for a removed value: `[path]`, `[file:.py]`. */
export const isPlaceholder = (word: string): boolean => PLACEHOLDER.test(word);
