import { z } from 'zod';

/** The longest call that a lesson shows, in UTF-16 code units. A longer one is left out, never cut. */
export const LONGEST_SHOWN_CALL = 600;

/**
 * An observed tool call as a lesson may show it: redacted, and with a placeholder such as `<folder>` in place of each
 * private value. For a shell, `call` is the command line; for another tool, the JSON object of its arguments.
 */
export const ShownCall = z.strictObject({
  /** `shell` for Bash-like tools, otherwise the tool's name. */
  tool: z.string().trim().min(1).max(80),
  call: z.string().trim().min(1).max(LONGEST_SHOWN_CALL),
});
export type ShownCall = Readonly<z.infer<typeof ShownCall>>;

/** The call as an agent would write it. */
export const callText = ({ tool, call }: ShownCall): string => (tool === 'shell' ? call : `${tool} ${call}`);
