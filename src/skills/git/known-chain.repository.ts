import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitBuilder, SkillChange } from './commit-builder.repository.js';
import { APPROVAL_TRAILER } from './commit-message.js';
import type { GitCommand } from './git-command.repository.js';
import type { MainHistory, MainState } from './main-history.repository.js';
import type { SkillTree } from './skill-tree.js';
import { MAIN, type Worktree } from './worktree.repository.js';

/** Keeps the known history from being collected; the database says which commit it is. */
export const KNOWN = 'refs/guildbook/known';
/** Main as it was before commits were set aside, by the id of its head. */
export const HELD = 'refs/guildbook/held/';

/** Why a commit is held: the first one of main that the known history does not explain. */
export type HeldReason = 'rewound' | 'not-in-line' | 'no-decision' | 'differs';

export interface HeldCommit {
  readonly commit: string;
  readonly reason: HeldReason;
}

/** The commits of main after the known ones, oldest first, as far as each has only the one before it as its parent. */
export interface MainLine {
  readonly commits: readonly string[];
  /** What ends the line, if main does not end there. */
  readonly end: HeldCommit | undefined;
}

/** The decisions that these approvals name, by proposal id. */
export type DecisionLookup = (proposalIds: readonly string[]) => Promise<ReadonlyMap<string, SkillChange>>;

const BATCH = 64;
const APPROVAL = new RegExp(`^${APPROVAL_TRAILER}: ([0-9a-f-]{36})$`, 'm');

/**
 * The history that may leave the machine: commits that are, byte for byte, what the server writes for the decisions. A
 * trailer only names the decision; the commit is made again from it, on the known parent, and must have the same id.
 */
export class KnownChain {
  readonly #history: MainHistory;

  constructor(
    private readonly git: GitCommand,
    private readonly worktree: Worktree,
    private readonly builder: CommitBuilder,
    history: MainHistory,
  ) {
    this.#history = history;
  }

  async lineSince(known: string | undefined, head: string): Promise<MainLine> {
    const range = known === undefined ? [head] : [head, `^${known}`];
    const out = await this.git.text([
      'rev-list',
      '--parents',
      '--topo-order',
      '--reverse',
      '--end-of-options',
      ...range,
    ]);
    const commits: string[] = [];
    let last = known;
    for (const line of out.split('\n').filter((it) => it !== '')) {
      const [commit = '', ...parents] = line.split(' ');
      if (parents.length > 1 || parents[0] !== last) return { commits, end: { commit, reason: 'not-in-line' } };
      commits.push(commit);
      last = commit;
    }
    return { commits, end: last === head ? undefined : { commit: head, reason: 'rewound' } };
  }

  /** Follows these commits while they are what the decisions give. Returns the last known one, and what ends it. */
  async follow(
    known: string | undefined,
    commits: readonly string[],
    decisions: DecisionLookup,
  ): Promise<{ known: string | undefined; end: HeldCommit | undefined }> {
    let state = await this.#history.at(known);
    for (let at = 0; at < commits.length; at += BATCH) {
      const batch = commits.slice(at, at + BATCH);
      const approvals = await this.#approvalsOf(batch);
      const found = await decisions(approvals.flatMap((approval) => approval ?? []));
      const named = approvals.map((approval) => (approval === undefined ? undefined : found.get(approval)));
      const without = named.indexOf(undefined);
      const changes = named.slice(0, without < 0 ? batch.length : without).flatMap((change) => change ?? []);
      const { state: next, followed } = await this.#replay(state, batch, changes);
      state = next;
      const commit = batch[followed];
      if (commit === undefined) continue;
      return { known: state.head, end: { commit, reason: followed === without ? 'no-decision' : 'differs' } };
    }
    return { known: state.head, end: undefined };
  }

  /** Adds commits for those decisions that the known history lacks. Returns its new head. */
  async extend(known: string | undefined, changes: readonly SkillChange[]): Promise<string | undefined> {
    let state = await this.#history.at(known);
    for (let at = 0; at < changes.length; at += BATCH) {
      const plan = await this.builder.plan(state, changes.slice(at, at + BATCH));
      if (plan.commits.length > 0)
        state = this.#advance(state, await this.builder.write(state.head, plan.commits), plan);
    }
    return state.head;
  }

  /**
   * Adds commits for these decisions, in their order, until the history ends at `until`. Returns false if it never does:
   * then the order was another one, or a decision is missing.
   */
  async extendTo(known: string | undefined, changes: readonly SkillChange[], until: string): Promise<boolean> {
    let state = await this.#history.at(known);
    for (let at = 0; at < changes.length; at += BATCH) {
      const plan = await this.builder.plan(state, changes.slice(at, at + BATCH));
      if (plan.commits.length === 0) continue;
      const last = (await this.builder.idsOf(state.head, plan.commits)).indexOf(until);
      const commits = last < 0 ? plan.commits : plan.commits.slice(0, last + 1);
      const ids = await this.builder.write(state.head, commits);
      if (last >= 0) return true;
      state = this.#advance(state, ids, plan);
    }
    return false;
  }

  /**
   * Makes this history main, with its files. A reference keeps commits that main has besides, and external edits of
   * files stay. Returns false if main has moved.
   */
  async adopt(known: string, main: MainState): Promise<boolean> {
    const { head } = main;
    const follows = head === undefined || (await this.git.succeeds(['merge-base', '--is-ancestor', head, known]));
    const kept = follows ? '' : `update ${HELD}${head} ${head}\n`;
    const input = `${kept}update ${MAIN} ${known} ${head ?? '0'.repeat(known.length)}\n`;
    await this.git.text(['update-ref', '-m', 'guildbook', '--stdin'], { input }).catch(() => undefined);
    if ((await this.git.head()) !== known) return false;
    const { tree } = await this.#history.at(known);
    const [before, after] = [filesOf(main.tree), filesOf(tree)];
    const changes = [...new Set([...before.keys(), ...after.keys()])].map((path) => {
      const generated = (tree.others.get(path) ?? main.tree.others.get(path))?.generated === true;
      return { path, wanted: after.get(path), before: new Set([before.get(path)]), generated };
    });
    await this.worktree.sync(changes, { from: undefined, head: known, entries: new Map() });
    return true;
  }

  /** The approvals of the known history. */
  async approvals(known: string | undefined): Promise<ReadonlyMap<string, string>> {
    return (await this.#history.at(known)).commits;
  }

  /** Protects the known history from git's collection. It is found again by its id, so a failure only delays that. */
  async keep(known: string): Promise<void> {
    await this.git.succeeds(['update-ref', '--end-of-options', KNOWN, known]);
  }

  has(commit: string): Promise<boolean> {
    return this.git.succeeds(['cat-file', '-e', `${commit}^{commit}`]);
  }

  /** True if main and the known history hold the same files, apart from generated ones. */
  async isSettled(known: string | undefined, main: MainState): Promise<boolean> {
    return sameFiles((await this.#history.at(known)).tree, main.tree);
  }

  /**
   * Makes the known history main, in one step with a reference to the commits that main had. Returns false if main is not
   * `head` any more. The folder's files stay, except for generated ones.
   */
  async setAside(known: string, head: string, main: MainState): Promise<boolean> {
    if (main.head !== head) return false;
    const input = `update ${HELD}${head} ${head}\nupdate ${MAIN} ${known} ${head}\n`;
    await this.git.text(['update-ref', '-m', 'guildbook', '--stdin'], { input }).catch(() => undefined);
    if ((await this.git.head()) !== known) return false;
    const { tree } = await this.#history.at(known);
    const generated = new Map([...main.tree.others, ...tree.others].filter(([, file]) => file.generated));
    const changes = [...generated.keys()].map((path) => {
      const before = new Set([main.tree.others.get(path)?.blob]);
      return { path, wanted: tree.others.get(path)?.blob, before, generated: true };
    });
    await this.worktree.sync(changes, { from: undefined, head: known, entries: new Map() });
    return true;
  }

  /** The heads that were set aside. */
  async setAsideHeads(): Promise<string[]> {
    const out = await this.git.text(['for-each-ref', '--count=100', '--format=%(objectname)', HELD]);
    return out.split('\n').filter((it) => it !== '');
  }

  /** Locks of references that a killed git may have left, as entries of `.git`. */
  async locks(): Promise<string[]> {
    const names = await readdir(join(this.git.gitDir, HELD)).catch(() => []);
    return names.filter((name) => name.endsWith('.lock')).map((name) => `${HELD}${name}`);
  }

  async #approvalsOf(commits: readonly string[]): Promise<(string | undefined)[]> {
    const objects = await this.git.objects(commits);
    return objects.map((object) => APPROVAL.exec(object?.content.toString('utf8') ?? '')?.[1]);
  }

  /** Makes the commits again. The first that has another id, and all after it, are not followed. */
  async #replay(
    state: MainState,
    commits: readonly string[],
    changes: readonly SkillChange[],
  ): Promise<{ state: MainState; followed: number }> {
    const plan = await this.builder.plan(state, changes);
    const ids = await this.builder.idsOf(state.head, plan.commits);
    const other = ids.findIndex((id, index) => id !== commits[index]);
    const followed = other < 0 ? ids.length : other;
    if (followed === 0) return { state, followed };
    const known = followed === ids.length ? plan : await this.builder.plan(state, changes.slice(0, followed));
    return { state: this.#advance(state, ids.slice(0, followed), known), followed };
  }

  #advance(
    state: MainState,
    ids: readonly string[],
    plan: { tree: SkillTree; approvals: readonly string[] },
  ): MainState {
    const made = new Map(plan.approvals.map((approval, index) => [approval, ids[index] ?? '']));
    return this.#history.advance(state, ids.at(-1) ?? '', plan.tree, made);
  }
}

function sameFiles(a: SkillTree, b: SkillTree): boolean {
  return sameText(pathsOf(a), pathsOf(b));
}

/** Path → object of every file. */
function filesOf({ skills, others }: SkillTree): Map<string, string> {
  const files = skills.flatMap(({ name, files: own }) => [...own].map(([file, blob]) => [`${name}/${file}`, blob]));
  return new Map([...files, ...[...others].map(([path, { blob }]) => [path, blob])] as [string, string][]);
}

function pathsOf({ skills, others }: SkillTree): string[] {
  const files = skills.flatMap(({ name, files: own }) => [...own].map(([file, blob]) => `${name}/${file} ${blob}`));
  const rest = [...others].filter(([, { generated }]) => !generated).map(([path, { blob }]) => `${path} ${blob}`);
  return [...files, ...rest].sort();
}

function sameText(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}
