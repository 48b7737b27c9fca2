import { present } from '../../platform/base/optional.js';
import { type ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { storedEnvironment } from '../report/stored-environment.js';
import { type Attributes, textAt } from './otlp-attributes.js';

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
export function environmentOf(resource: Attributes): ExecutionEnvironment | undefined {
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
