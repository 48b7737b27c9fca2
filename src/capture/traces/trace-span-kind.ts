import { type Attributes, textAt } from '../otlp/otlp-attributes.js';

/** `asked` and `answered` are a tool call and its result as the messages of a model tell them. */
export const SPAN_KINDS = ['agent', 'tool', 'execution', 'model', 'asked', 'answered', 'other'] as const;

type Kind = (typeof SPAN_KINDS)[number];

/** Values of `gen_ai.operation.name`, old and new. Others, such as embeddings, are not a step of an agent. */
const OPERATIONS: ReadonlyMap<string, Kind> = new Map([
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['execute_tool', 'tool'],
  ['chat', 'model'],
  ['text_completion', 'model'],
  ['generate_content', 'model'],
]);

/** Kinds that OpenInference, OpenLLMetry, LangSmith and Langfuse used before the conventions existed. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['agent', 'agent'],
  ['workflow', 'agent'],
  ['tool', 'tool'],
  ['llm', 'model'],
  ['generation', 'model'],
]);
const KIND_ATTRIBUTES = [
  'openinference.span.kind',
  'traceloop.span.kind',
  'langsmith.span.kind',
  'langfuse.observation.type',
] as const;

/** Values of `span.type` in Claude Code's spans. */
const CLAUDE_CODE: ReadonlyMap<string, Kind> = new Map([
  ['interaction', 'agent'],
  ['tool', 'tool'],
  ['tool.execution', 'execution'],
  ['llm_request', 'model'],
]);

/** The kind of a span. Spans of databases and web requests are `other`: only their place in the tree is stored. */
export function kindOfSpan(name: string, attributes: Attributes): Kind {
  const operation = textAt(attributes, 'gen_ai.operation.name');
  const known = operation === undefined ? undefined : OPERATIONS.get(operation);
  if (known !== undefined) return known;
  const type = textAt(attributes, 'span.type');
  if (type !== undefined && name.startsWith('claude_code.')) return CLAUDE_CODE.get(type) ?? 'other';
  for (const attribute of KIND_ATTRIBUTES) {
    const kind = KINDS.get(textAt(attributes, attribute)?.toLowerCase() ?? '');
    if (kind !== undefined) return kind;
  }
  if (operation !== undefined) return 'other';
  if (attributes.has('gen_ai.tool.name')) return 'tool';
  if (attributes.has('gen_ai.tool.call.id')) return 'execution';
  if (attributes.has('gen_ai.request.model') || attributes.has('llm.model_name')) return 'model';
  return 'other';
}
