import { present } from '../../platform/base/optional.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { FragmentIdentifiers, NewFragment } from '../importers/fragment-format.js';
import { type ExportLogsRequest, type ExportTraceRequest, OtlpLogRecord, OtlpSpan } from '../otlp/otlp.schema.js';
import { type Attributes, attributesOf, textAt } from '../otlp/otlp-attributes.js';
import { type ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { storedEnvironment } from '../report/stored-environment.js';
import { logFragments } from './log-fragment.js';
import type { RecordPlace } from './telemetry-product.js';
import { type RecordFragment, spanFragments } from './trace-span.js';

/** The fragments of one trace, or of one session, from one resource. */
export interface PlacedFragments extends RecordPlace {
  readonly resource: Attributes;
  readonly fragments: readonly NewFragment[];
  /** Records that they are made of. */
  readonly records: number;
}

/** The redacted fragments of an export, and the number of its spans or log records that cannot be read. */
export interface ReadExport {
  readonly placed: readonly PlacedFragments[];
  readonly unreadable: number;
}

type Resource = { readonly attributes?: readonly unknown[] | undefined } | undefined;
/** Undefined for a record that cannot be read. */
type RecordReader = (record: unknown, resource: Attributes, place: number) => RecordFragment[] | undefined;

export function readTraces({ resourceSpans }: ExportTraceRequest, identifiers: FragmentIdentifiers): ReadExport {
  const all = (resourceSpans ?? []).map(({ resource, scopeSpans }) => ({
    resource,
    records: (scopeSpans ?? []).flatMap(({ spans }) => spans ?? []),
  }));
  return readRecords(all, (record, resource, place) => {
    const span = OtlpSpan.safeParse(record);
    return span.success ? spanFragments(span.data, identifiers, environmentOf(resource), place) : undefined;
  });
}

export function readLogs({ resourceLogs }: ExportLogsRequest, identifiers: FragmentIdentifiers): ReadExport {
  const all = (resourceLogs ?? []).map(({ resource, scopeLogs }) => ({
    resource,
    records: (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? []),
  }));
  return readRecords(all, (record, resource) => {
    const log = OtlpLogRecord.safeParse(record);
    return log.success ? logFragments(log.data, resource, identifiers, environmentOf(resource)) : undefined;
  });
}

function readRecords(
  all: readonly { readonly resource: Resource; readonly records: readonly unknown[] }[],
  read: RecordReader,
): ReadExport {
  let unreadable = 0;
  const placed = all.flatMap(({ resource, records }) => {
    const attributes = attributesOf(resource?.attributes);
    const byPlace = new Map<string, { place: RecordPlace; fragments: NewFragment[]; records: number }>();
    for (const [at, record] of records.entries()) {
      const fragments = read(record, attributes, at);
      const [first] = fragments ?? [];
      if (fragments === undefined) unreadable += 1;
      if (first === undefined || fragments === undefined) continue;
      const { format, key } = first;
      const known = byPlace.get(`${format} ${key}`) ?? { place: { format, key }, fragments: [], records: 0 };
      byPlace.set(`${format} ${key}`, known);
      known.records += 1;
      known.fragments.push(...fragments.map(toNewFragment));
    }
    return [...byPlace.values()].map(({ place, ...rest }) => ({ ...place, ...rest, resource: attributes }));
  });
  return { placed, unreadable };
}

function toNewFragment({ fragmentKey, parentKey, joinKey, signal, facts }: RecordFragment): NewFragment {
  // Not the conversation: two conversations with the same marker would be one.
  const { conversation, ...texts } = facts;
  const { value, redactions: findings } = redactDeep(texts);
  const stored = conversation === undefined ? value : { ...value, conversation };
  return { key: fragmentKey, parentKey, joinKey, signal, facts: stored, findings };
}

/** Agent products, by the beginning of the name under which they send traces. Other services name one agent. */
const HARNESSES = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'qwen-code',
  'goose',
  'aider',
  'openhands',
] as const;
const SYSTEMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'macOS', windows: 'windows' };

/** What the resource of a trace says about the environment; undefined if nothing. */
function environmentOf(resource: Attributes): ExecutionEnvironment | undefined {
  const service = textAt(resource, 'service.name')?.trim().toLowerCase().replace(/_/g, '-').slice(0, 100) ?? '';
  const harness = HARNESSES.find((name) => service.startsWith(name));
  const harnessVersion =
    harness === undefined ? undefined : textAt(resource, 'service.version')?.slice(0, REPORT_LIMITS.version);
  const repository = repositoryLabel(textAt(resource, 'vcs.repository.url.full') ?? '');
  return storedEnvironment(present({ harness, harnessVersion, operatingSystem: systemIn(resource), repository }));
}

/** The kernel's version of a Linux says nothing to a reader, and can name the machine. */
function systemIn(resource: Attributes): string | undefined {
  const type = textAt(resource, 'os.type')?.toLowerCase() ?? '';
  const name = Object.hasOwn(SYSTEMS, type) ? SYSTEMS[type] : undefined;
  const version = /^\d{1,3}(?:\.\d{1,3}){0,2}$/.exec(textAt(resource, 'os.version') ?? '')?.[0];
  return name === undefined || name === 'linux' || version === undefined ? name : `${name} ${version}`;
}
