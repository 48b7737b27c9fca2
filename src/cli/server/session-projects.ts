import { mainFolder, NO_PROJECT, type ProjectFacts, projectName } from '../../capture/report/agent-name.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { repositoryLabel } from '../../capture/report/repository-label.js';
import { optional } from '../../platform/base/optional.js';
import { gitProject } from './project-repository.js';

/** The projects of sessions on this machine. Git is asked once for each folder. */
export class SessionProjects {
  private readonly known = new Map<string, Promise<ProjectFacts>>();

  /** `recorded`: what the session says. Git knows better, while the folder or that of its repository is there. */
  of(cwd: string | undefined, recorded: { readonly root?: string; readonly remote?: string }): Promise<ProjectFacts> {
    const key = JSON.stringify([cwd, recorded]);
    const found = this.known.get(key) ?? projectOf(cwd, recorded);
    this.known.set(key, found);
    return found;
  }
}

async function projectOf(
  cwd: string | undefined,
  recorded: { readonly root?: string; readonly remote?: string },
): Promise<ProjectFacts> {
  const main = recorded.root ?? (cwd === undefined ? undefined : mainFolder(cwd).path);
  const git = (await gitProject(cwd)) ?? (await gitProject(main));
  const repository = git?.repository ?? repositoryLabel(recorded.remote ?? '');
  return { cwd, ...optional('root', git?.root ?? recorded.root), ...optional('repository', repository) };
}

/** Names the project in a report as its agent does. */
export function ofProject(report: ExecutionReport, { root, repository }: ProjectFacts): ExecutionReport {
  const name = root === undefined ? NO_PROJECT : projectName(root);
  const project = name === NO_PROJECT ? undefined : name;
  if (project === undefined && repository === undefined) return report;
  const environment = { ...report.environment, ...optional('project', project) };
  const tags = report.tags?.map((tag) =>
    project !== undefined && tag.startsWith('project:') ? `project:${project}` : tag,
  );
  return {
    ...report,
    environment: { ...optional('repository', repository), ...environment },
    ...optional('tags', tags),
  };
}
