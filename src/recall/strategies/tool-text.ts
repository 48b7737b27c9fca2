/**
 * The text of a tool's result: the messages, or what it means that there are none, and the warnings, which a model reads
 * nowhere else. With a warning, "nothing matches" could be false, so the warning stands alone.
 */
export function toolText(
  messages: readonly { readonly content: string }[],
  warnings: readonly string[],
  otherwise: string,
): string {
  const said = messages.map(({ content }) => content);
  const lines = [...said, ...warnings.map((warning) => `Warning: ${warning}`)];
  return lines.join('\n') || otherwise;
}

export const NO_MATCH = 'No memory matches this task.';
