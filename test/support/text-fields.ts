import { z } from 'zod';
import { HookPayload } from '../../src/capture/hook-events/hook.schema.js';
import { TranscriptBlock, TranscriptRecord } from '../../src/capture/importers/claude-code-transcript.schema.js';
import { RolloutLine } from '../../src/capture/importers/codex-rollout.schema.js';
import { OtlpLogRecord, OtlpSpan } from '../../src/capture/traces/otlp.schema.js';
import { AtifResult, AtifStep, AtifToolCall, AtifTrajectory } from '../../src/capture/trajectories/atif.schema.js';
import { MiniMessage, MiniTrajectory } from '../../src/capture/trajectories/mini-swe-agent.schema.js';
import { V0Event, V0Row } from '../../src/capture/trajectories/openhands-v0.schema.js';
import { V1Event, V1State } from '../../src/capture/trajectories/openhands-v1.schema.js';
import { RunRow } from '../../src/capture/trajectories/runs.schema.js';
import { SweConfig, SweMessage, SweStep, SweTrajectory } from '../../src/capture/trajectories/swe-agent.schema.js';
import { StreamMessage } from '../../src/capture/transcripts/claude-code-stream.schema.js';
import { StreamEvent } from '../../src/capture/transcripts/codex-stream.schema.js';
import { CopilotEvent } from '../../src/capture/transcripts/copilot-events.schema.js';
import { CursorEvent } from '../../src/capture/transcripts/cursor-stream.schema.js';
import { GeminiCall, GeminiHeader, GeminiMessage } from '../../src/capture/transcripts/gemini-session.schema.js';
import {
  OpenCodeDocument,
  OpenCodeMessage,
  OpenCodePart,
} from '../../src/capture/transcripts/opencode-session.schema.js';

const SCHEMAS = [
  AtifResult,
  AtifStep,
  AtifToolCall,
  AtifTrajectory,
  TranscriptBlock,
  TranscriptRecord,
  RolloutLine,
  HookPayload,
  GeminiHeader,
  GeminiMessage,
  GeminiCall,
  OpenCodeDocument,
  OpenCodeMessage,
  OpenCodePart,
  CopilotEvent,
  StreamMessage,
  StreamEvent,
  CursorEvent,
  OtlpSpan,
  MiniMessage,
  MiniTrajectory,
  SweConfig,
  SweMessage,
  SweStep,
  SweTrajectory,
  V0Event,
  V0Row,
  V1Event,
  V1State,
  RunRow,
  OtlpLogRecord,
];

/** The names of all text fields in the importers' schemas, found by reflection. */
export function textFields(): string[] {
  const names = new Set<string>();
  const waiting: unknown[] = SCHEMAS.map((schema) => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  for (let n = 0; n < waiting.length; n += 1) {
    const node = waiting[n];
    if (typeof node !== 'object' || node === null) continue;
    if ('properties' in node && typeof node.properties === 'object' && node.properties !== null)
      for (const [name, inner] of Object.entries(node.properties)) if (canHoldText(inner)) names.add(name);
    waiting.push(...Object.values(node));
  }
  return [...names].sort();
}

function canHoldText(node: unknown): boolean {
  const text = JSON.stringify(node);
  return text === '{}' || text.includes('"string"');
}

type Path = readonly (string | number)[];

/** The paths of all texts in a record, also inside lists. */
export function textPlaces(record: unknown): Path[] {
  const places: Path[] = [];
  const waiting: { value: unknown; path: Path }[] = [{ value: record, path: [] }];
  for (let n = 0; n < waiting.length; n += 1) {
    const next = waiting[n];
    if (next === undefined) break;
    const { value, path } = next;
    if (typeof value === 'string') places.push(path);
    else if (Array.isArray(value)) waiting.push(...value.map((item, at) => ({ value: item, path: [...path, at] })));
    else if (typeof value === 'object' && value !== null)
      waiting.push(...Object.entries(value).map(([key, item]) => ({ value: item, path: [...path, key] })));
  }
  return places;
}

/** A copy of the record with a changed text at the path. */
export function withChangedText(record: unknown, path: Path, change: (text: string) => string): unknown {
  const copy: unknown = structuredClone(record);
  let at: unknown = copy;
  for (const step of path.slice(0, -1)) at = Object(at)[step];
  const last = path.at(-1) ?? '';
  Object.assign(Object(at), { [last]: change(String(Object(at)[last])) });
  return copy;
}

/** A copy of the record in which every object also has all missing text fields of the schemas. */
export function withTextFields(record: unknown, names: readonly string[], text: () => string): unknown {
  const copy: unknown = structuredClone(record);
  const waiting: unknown[] = [copy];
  for (let n = 0; n < waiting.length; n += 1) {
    const value = waiting[n];
    if (typeof value !== 'object' || value === null) continue;
    waiting.push(...Object.values(value));
    if (Array.isArray(value)) continue;
    Object.assign(value, Object.fromEntries(names.filter((name) => !(name in value)).map((name) => [name, text()])));
  }
  return copy;
}
