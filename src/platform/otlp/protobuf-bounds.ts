import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

export interface ProtobufBounds {
  /** Levels of messages, the whole one included. */
  readonly depth: number;
  /** Fields that are present, of all messages together. */
  readonly fields: number;
}

interface Part {
  readonly schema: DescMessage;
  readonly bytes: Uint8Array;
  readonly depth: number;
}

/**
 * Says why a message must not be decoded: nested too deep for what reads it, or with so many fields that the objects
 * made of its bytes would fill the memory (an empty attribute has two bytes). Undefined if it may. Throws for bytes that
 * are no message.
 */
export function protobufProblem(
  schema: DescMessage,
  bytes: Uint8Array,
  bounds: ProtobufBounds,
): { code: string; detail: string } | undefined {
  const rest: Part[] = [{ schema, bytes, depth: 1 }];
  let fields = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part.depth > bounds.depth)
      return { code: 'request.too_deep', detail: `is nested more than ${bounds.depth} deep` };
    const messages = messageFields(part.schema);
    const reader = new BinaryReader(part.bytes);
    while (reader.pos < reader.len) {
      fields += 1;
      if (fields > bounds.fields)
        return { code: 'request.too_many_values', detail: `has more than ${bounds.fields} fields` };
      const [number, type] = reader.tag();
      const message = type === WireType.LengthDelimited ? messages.get(number) : undefined;
      if (message === undefined) reader.skip(type, number, bounds.depth);
      else rest.push({ schema: message, bytes: reader.bytes(), depth: part.depth + 1 });
    }
  }
  return undefined;
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, DescMessage>>();

/** The fields of a message that hold messages, by number. */
function messageFields(schema: DescMessage): ReadonlyMap<number, DescMessage> {
  const cached = known.get(schema);
  if (cached !== undefined) return cached;
  const found = new Map(
    schema.fields.flatMap((field) => {
      const message = field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined;
      return message === undefined ? [] : [[field.number, message] as const];
    }),
  );
  known.set(schema, found);
  return found;
}
