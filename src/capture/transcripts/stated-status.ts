const STATUS = /(?:"(?:code|status)"\s{0,3}:\s{0,3}|\bstatus(?: code)?:? |\bAPI Error:? |\()(\d{3})\b/;

/** The HTTP status that the message of a failed request states. */
export function statedStatus(message: string): number | undefined {
  const code = STATUS.exec(message.slice(0, 2_000))?.[1];
  return code === undefined ? undefined : Number(code);
}
