import { generalise } from '../../untrusted/text/generalise.js';
import { projectName } from './agent-name.js';
import { type ExecutionEnvironment, REPORT_LIMITS } from './execution-report.schema.js';
import { repositoryLabel } from './repository-label.js';
import { filled } from './stored-call.js';

/**
 * The redacted environment without folders, hosts and people, within the bounds of its schema. What becomes empty is
 * left out; undefined if nothing is left.
 */
export function storedEnvironment(environment: ExecutionEnvironment): ExecutionEnvironment | undefined {
  const { label, version } = REPORT_LIMITS;
  const { harness, harnessVersion, operatingSystem, interpreters, project, repository } = environment;
  const versions = (interpreters ?? []).flatMap((interpreter) => {
    const name = filled('name', publicText(interpreter.name), label).name;
    const value = filled('version', publicText(interpreter.version), version).version;
    return name === undefined || value === undefined ? [] : [{ name, version: value }];
  });
  const stored = {
    ...filled('harness', publicText(harness), label),
    ...filled('harnessVersion', publicText(harnessVersion), version),
    ...filled('operatingSystem', publicText(operatingSystem), label),
    ...(versions.length === 0 ? {} : { interpreters: versions }),
    ...filled('project', projectLabel(project), label),
    ...filled('repository', publicText(repositoryLabel(repository ?? '')), label),
  };
  return Object.keys(stored).length === 0 ? undefined : stored;
}

function publicText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : generalise(text);
}

/** The last folder of a path, and a label as it is. */
function projectLabel(project: string | undefined): string | undefined {
  if (project === undefined || !/[\\/~]/.test(project)) return publicText(project);
  const name = projectName(project);
  return name === 'a project' ? undefined : publicText(name);
}
