import { z } from 'zod';

/** A field of the wrong type is treated as missing: the events change with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);

/** The fields that are read from an event's data, for every type of event. */
export const CopilotData = z.object({
  sessionId: text,
  copilotVersion: text,
  selectedModel: text,
  context: z.object({ cwd: text, repository: text }).optional().catch(undefined),
  content: text,
  model: text,
  messageId: text,
  toolRequests: z.array(z.unknown()).optional().catch(undefined),
  toolCallId: text,
  toolName: text,
  arguments: z.unknown().optional(),
  success: z.boolean().optional().catch(undefined),
  shellExecution: z.object({ exitCode: count }).optional().catch(undefined),
  result: z.object({ content: text }).optional().catch(undefined),
  error: z.object({ message: text, code: text }).optional().catch(undefined),
  errorType: text,
  message: text,
  statusCode: count,
  name: text,
});
export type CopilotData = z.infer<typeof CopilotData>;

/** One line of `events.jsonl`. */
export const CopilotEvent = z.object({
  type: z.string(),
  id: text,
  timestamp: z.iso.datetime({ offset: true }),
  data: CopilotData,
});
export type CopilotEvent = z.infer<typeof CopilotEvent>;

const Request = z.object({ toolCallId: z.string() });

/** The ids of the calls that a message asks for. */
export const requestsIn = ({ toolRequests }: CopilotData): string[] =>
  (toolRequests ?? []).flatMap((request) => {
    const parsed = Request.safeParse(request);
    return parsed.success ? [parsed.data.toolCallId] : [];
  });
