const CONTEXT_START = '<hook_context>';
const CONTEXT_END = '</hook_context>';

/** The prompt without the text that our own hook put in front of it, so that the task is the same without the hook. */
export function withoutContext(prompt: string): string {
  const text = prompt.trimStart();
  const end = text.startsWith(CONTEXT_START) ? text.indexOf(CONTEXT_END) : -1;
  return end < 0 ? prompt : text.slice(end + CONTEXT_END.length).trimStart();
}

/** The prompt without the quotation marks that `opencode run` puts around it. */
export function withoutQuotes(prompt: string): string {
  const text = prompt.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : prompt;
}
