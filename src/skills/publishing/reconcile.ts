import { compareText } from '../../platform/base/compare-text.js';
import { MANIFEST_PATHS } from '../document/marketplace.js';
import { KEPT_FILES } from '../document/repository-files.js';

/** A decision in the database: a publication, or without a hash a retirement. */
export interface RecordedDecision {
  readonly proposalId: string;
  readonly name: string;
  /** Hash of the approved file; undefined if the decision retires the skill. */
  readonly sha256: string | undefined;
  /** The acknowledged commit; undefined while the decision is pending. */
  readonly commit: string | undefined;
}

/** The repository at one commit of main, and its folder. */
export interface ObservedRepository {
  /** Proposal id → the commit on main that names it. */
  readonly commits: ReadonlyMap<string, string>;
  /** Each name once; no hash for a file that is too large to be a skill. */
  readonly skills: readonly { readonly name: string; readonly sha256: string | undefined }[];
  /** Paths on main that are neither skills nor generated files. */
  readonly others: readonly string[];
  /** Paths whose object is missing or damaged; a folder ends in a slash. */
  readonly unreadable?: readonly string[];
  /** Undefined if main is not checked out. */
  readonly edits: readonly ObservedEdit[] | undefined;
}

export interface ObservedEdit {
  readonly path: string;
  readonly kind: 'edited' | 'deleted' | 'unknown';
  readonly blob: string | undefined;
}

/**
 * The repair of a difference. `publish`: wake the publisher. `publish-again`: make the decision pending again.
 * `acknowledge`: record the other commit. `restore-file`: put the file back, by which nothing is lost. `ask`: leave an
 * unapproved change to a person, who decides with the difference at hand. `remove`: take a file away that consumers
 * could run. `report`: only show it.
 */
export type Repair = 'publish' | 'publish-again' | 'acknowledge' | 'restore-file' | 'remove' | 'ask' | 'report';

export type RepositoryDifference =
  | { readonly kind: 'missing-in-git'; readonly repair: 'publish'; readonly name: string; readonly proposalId: string }
  | {
      readonly kind: 'not-acknowledged';
      readonly repair: 'publish';
      readonly name: string;
      readonly proposalId: string;
      readonly commit: string;
    }
  | {
      /** An acknowledged commit is no longer on main, and no other commit carries out the decision. */
      readonly kind: 'branch-rewound';
      readonly repair: 'publish-again' | 'report';
      readonly name: string;
      readonly proposalId: string;
      readonly commit: string;
    }
  | {
      /** Main carries out the decision with another commit than the acknowledged one. */
      readonly kind: 'history-rewritten';
      readonly repair: 'acknowledge';
      readonly name: string;
      readonly proposalId: string;
      readonly commit: string;
    }
  | {
      /** Main holds other bytes than the approved ones; `approved` is undefined for a skill that should not exist. */
      readonly kind: 'unapproved-change' | 'unapproved-skill';
      readonly repair: 'ask' | 'report';
      readonly name: string;
      readonly approved: string | undefined;
      readonly found: string | undefined;
    }
  | { readonly kind: 'deleted-in-git'; readonly repair: 'ask'; readonly name: string; readonly approved: string }
  | {
      readonly kind: 'worktree-edited';
      readonly repair: 'restore-file' | 'ask' | 'report';
      readonly path: string;
      readonly blob: string | undefined;
    }
  | { readonly kind: 'worktree-deleted'; readonly repair: 'restore-file'; readonly path: string }
  | {
      readonly kind: 'unknown-file';
      readonly repair: 'remove';
      readonly path: string;
      readonly in: 'main' | 'folder';
    }
  | { readonly kind: 'unreadable-object'; readonly repair: 'report'; readonly path: string }
  | { readonly kind: 'other-branch'; readonly repair: 'report' };

const SKILL_FILE = /^[^/]+\/(?:SKILL\.md|references\/[^/]+\.md)$/;

/**
 * Compares the repository with the decisions and names the repair of each difference. `decisions` are all decisions
 * ever made, in order. No repair overwrites unapproved bytes: a person decides about those.
 */
export function reconcile(decisions: readonly RecordedDecision[], found: ObservedRepository): RepositoryDifference[] {
  return sortDifferences([...compareBySkill(decisions, found)].flat());
}

/**
 * Yields the differences per skill, then those of the folder, so that the caller can yield to other work in between.
 */
export function* compareBySkill(
  decisions: readonly RecordedDecision[],
  found: ObservedRepository,
): Generator<readonly RepositoryDifference[]> {
  const byName = new Map<string, RecordedDecision[]>();
  for (const decision of decisions) {
    const own = byName.get(decision.name);
    if (own) own.push(decision);
    else byName.set(decision.name, [decision]);
  }
  const files = new Map(found.skills.map((skill) => [skill.name, skill]));
  const unreadable = new Set(found.unreadable?.map((path) => path.slice(0, path.indexOf('/'))));
  const observe = (name: string, own: readonly RecordedDecision[]) =>
    skillDifferences(name, own, unreadable.has(name) ? 'unreadable' : files.get(name), found.commits);
  for (const [name, own] of byName) yield observe(name, own);
  for (const name of files.keys()) if (!byName.has(name)) yield observe(name, []);
  yield folderDifferences(found);
}

/** Sorts by skill name; differences of the folder come last, in their order. */
export function sortDifferences(differences: readonly RepositoryDifference[]): RepositoryDifference[] {
  const [named, rest] = [differences.filter((it) => 'name' in it), differences.filter((it) => !('name' in it))];
  return [...named.sort((a, b) => compareText(a.name, b.name)), ...rest];
}

/** Identifies a difference, so that a second look does not ask a person again. */
export function differenceKey(difference: RepositoryDifference): string {
  const { kind } = difference;
  if ('proposalId' in difference) return `${kind} ${difference.proposalId}`;
  if ('name' in difference)
    return `${kind} ${difference.name} ${'found' in difference ? (difference.found ?? '') : ''}`.trim();
  if ('path' in difference)
    return `${kind} ${difference.path} ${'blob' in difference ? (difference.blob ?? '') : ''}`.trim();
  return kind;
}

type ObservedFile = { readonly sha256: string | undefined } | 'unreadable' | undefined;

function skillDifferences(
  name: string,
  decisions: readonly RecordedDecision[],
  file: ObservedFile,
  commits: ReadonlyMap<string, string>,
): RepositoryDifference[] {
  const unapproved = unapprovedContent(name, decisions, file, commits);
  // An older decision must not be published after a newer one, nor over unapproved bytes.
  const lastOnMain = decisions.findLastIndex(({ proposalId }) => commits.has(proposalId));
  const history = decisions.flatMap((decision, index): RepositoryDifference[] => {
    const { proposalId, commit } = decision;
    const mainCommit = commits.get(proposalId);
    if (commit === undefined) {
      return mainCommit === undefined
        ? [{ kind: 'missing-in-git', repair: 'publish', name, proposalId }]
        : [{ kind: 'not-acknowledged', repair: 'publish', name, proposalId, commit: mainCommit }];
    }
    if (mainCommit === undefined) {
      const repair = index > lastOnMain && unapproved.length === 0 ? 'publish-again' : 'report';
      return [{ kind: 'branch-rewound', repair, name, proposalId, commit }];
    }
    return mainCommit === commit
      ? []
      : [{ kind: 'history-rewritten', repair: 'acknowledge', name, proposalId, commit: mainCommit }];
  });
  return [...history, ...unapproved];
}

/** Whether the file matches the decisions. While the last decision is not on main, any approved version is accepted. */
function unapprovedContent(
  name: string,
  decisions: readonly RecordedDecision[],
  file: ObservedFile,
  commits: ReadonlyMap<string, string>,
): RepositoryDifference[] {
  // The path is named on its own. What it holds is not known, so no person is asked about it.
  if (file === 'unreadable') return [];
  const last = decisions.at(-1);
  const isSettled = last !== undefined && commits.has(last.proposalId);
  const approved = last?.sha256;
  if (file === undefined) {
    return isSettled && approved !== undefined ? [{ kind: 'deleted-in-git', repair: 'ask', name, approved }] : [];
  }
  const found = file.sha256;
  const known = isSettled ? [approved] : decisions.map(({ sha256 }) => sha256);
  if (found !== undefined && known.includes(found)) return [];
  const kind = approved === undefined ? 'unapproved-skill' : 'unapproved-change';
  // While a decision is pending, the future content of main is not known.
  const isPending = last !== undefined && !isSettled && last.commit === undefined;
  const repair = isPending ? 'report' : 'ask';
  return [{ kind, repair, name, approved, found }];
}

function folderDifferences({ others, unreadable = [], edits }: ObservedRepository): RepositoryDifference[] {
  const unknownPaths = others.filter((path) => !KEPT_FILES.has(path)).sort();
  const inMain = [
    ...[...unreadable].sort().map((path) => ({ kind: 'unreadable-object', repair: 'report', path }) as const),
    ...unknownPaths.map((path) => ({ kind: 'unknown-file', repair: 'remove', path, in: 'main' }) as const),
  ];
  if (edits === undefined) return [...inMain, { kind: 'other-branch', repair: 'report' }];
  const sorted = [...edits].sort((a, b) => compareText(a.path, b.path));
  return [...inMain, ...sorted.flatMap(editDifferences)];
}

function editDifferences({ path, kind, blob }: ObservedEdit): RepositoryDifference[] {
  if (kind === 'deleted') return [{ kind: 'worktree-deleted', repair: 'restore-file', path }];
  if (kind === 'unknown') {
    return KEPT_FILES.has(path) ? [] : [{ kind: 'unknown-file', repair: 'remove', path, in: 'folder' }];
  }
  if (MANIFEST_PATHS.has(path)) return [{ kind: 'worktree-edited', repair: 'restore-file', path, blob }];
  return [{ kind: 'worktree-edited', repair: SKILL_FILE.test(path) ? 'ask' : 'report', path, blob }];
}
