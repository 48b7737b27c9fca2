import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { agentNameFor, type ProjectFacts, sessionAgentName } from '../../capture/report/agent-name.js';
import { withoutEnding } from '../sources/source.js';

export type AgentPer = 'project' | 'file';

const GEMINI_CHATS = 'chats';
const TRIAL_RESULT = 'result.json';

/** The agent of a transcript. */
export function agentOf(file: string, project: ProjectFacts, format: string, agentPer: AgentPer): string {
  const { cwd } = project;
  if (format === 'claude-code' && agentPer === 'file') return agentNameFor('file', withoutPacking(file), cwd);
  // Other formats store files by date or by trial, so the working directory names the project.
  const trial = trialFolder(file);
  if (agentPer === 'file') return agentNameFor('project', trial ?? withoutEnding(file), cwd);
  return sessionAgentName(format, { ...project, file: trial ?? file }) ?? 'project';
}

/** A packed transcript is of the same agent as before. */
const withoutPacking = (file: string): string => file.replace(/\.(?:gz|zst)$/i, '');

/** The project of a session file of Gemini CLI, which names it in the folder above its chats. */
export async function geminiProject(file: string): Promise<string | undefined> {
  const chats = basename(dirname(file)) === GEMINI_CHATS ? dirname(file) : dirname(dirname(file));
  const text = await readFile(join(dirname(chats), '.project_root'), 'utf8').catch(() => undefined);
  return text?.trim() || undefined;
}

/** The folder of one run among those of its batch. */
function trialFolder(file: string): string | undefined {
  const folder = dirname(file);
  // <batch>/<instance>/<instance>.traj
  if (/\.traj(?:\.json)?(?:\.gz|\.zst)?$/.test(file) && withoutEnding(basename(file)) === basename(folder))
    return folder;
  if (basename(folder) === 'agent') return dirname(folder);
  return basename(file) === TRIAL_RESULT ? folder : undefined;
}

/** A trial's result counts as an execution only if the trial has no trajectory. */
export async function hasTrajectory(file: string): Promise<boolean> {
  if (basename(file) !== TRIAL_RESULT) return false;
  const names = ['trajectory.json', join('agent', 'trajectory.json')];
  const found = await Promise.all(names.map((name) => stat(join(dirname(file), name)).catch(() => undefined)));
  return found.some((facts) => facts?.isFile() === true);
}
