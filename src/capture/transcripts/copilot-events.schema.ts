import { z } from 'zod';
import { count, flag, lenient, list, readable, text } from '../../platform/base/lenient.schema.js';

/** The fields that are read from an event's data, for every type of event. */
export const CopilotData = z.object({
  sessionId: text,
  copilotVersion: text,
  selectedModel: text,
  context: lenient(z.object({ cwd: text, repository: text })),
  content: text,
  model: text,
  messageId: text,
  toolRequests: list,
  toolCallId: text,
  toolName: text,
  arguments: z.unknown().optional(),
  success: flag,
  shellExecution: lenient(z.object({ exitCode: count })),
  result: lenient(z.object({ content: text })),
  error: lenient(z.object({ message: text, code: text })),
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
  readable(toolRequests, Request).map(({ toolCallId }) => toolCallId);
