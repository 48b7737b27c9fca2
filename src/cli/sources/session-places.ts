/** Where a product keeps its sessions, below the folder that it keeps everything in. */
interface Place {
  readonly product: string;
  /** Ends behind the product's folder. A worktree that a product makes there is a project's, not the product's. */
  readonly home: RegExp;
  readonly sessions: RegExp;
}

const PACKED = String.raw`(?:\.gz|\.zst)?`;
const AGENT_FILE = String.raw`[^/]+/subagents/(?:[^/]+/){0,8}agent-[^/]+\.jsonl${PACKED}`;
const CLAUDE_SESSION = String.raw`(?:[^/]+\.jsonl${PACKED}|${AGENT_FILE})`;
/** Claude Code's folder of a project: its path with every separator as a hyphen. */
const PROJECT_FOLDER = '(?:-|[A-Za-z]--)[^/]*';

const PLACES: readonly Place[] = [
  {
    product: 'Claude Code',
    home: /\/\.claude\/(?!worktrees\/)/,
    sessions: new RegExp(`^projects/[^/]+/${CLAUDE_SESSION}$`),
  },
  {
    product: 'Codex',
    home: /\/\.codex\/(?!worktrees\/)/,
    sessions: new RegExp(String.raw`^(?:archived_)?sessions/(?:[^/]+/){0,8}rollout-[^/]+\.jsonl?${PACKED}$`),
  },
  {
    product: 'Gemini CLI',
    home: /\/\.gemini\//,
    sessions: new RegExp(String.raw`^tmp/[^/]+/chats/(?:[^/]+/)?[^/]+\.jsonl?${PACKED}$`),
  },
  {
    product: 'OpenCode',
    home: /\/(?:share|Application Support)\/opencode\//,
    sessions: /^(?:(?:project\/[^/]+\/)?storage\/(?:session|message|part)\/|[^/]+\.db$)/,
  },
  {
    product: 'Copilot CLI',
    home: /\/\.copilot\//,
    sessions: /^(?:history-)?session-state\/(?:[^/]+\/events\.jsonl|[^/]+\.jsonl?)$/,
  },
  { product: 'Cursor', home: /\/\.cursor\//, sessions: /^(?:projects\/[^/]+\/agent-transcripts|chats)\// },
  {
    product: 'Claude Code',
    // what an agent writes to its scratch folder is its own
    home: new RegExp(`/${PROJECT_FOLDER}/(?![^/]+/scratchpad/)`),
    sessions: new RegExp(`^${CLAUDE_SESSION}$`),
  },
];

/** From the home of a person, the folders in which products keep sessions. */
export const PRODUCT_FOLDERS: readonly string[] = [
  '.claude/projects',
  '.codex/sessions',
  '.codex/archived_sessions',
  '.gemini/tmp',
  '.copilot/session-state',
  '.cursor/projects',
  '.local/share/opencode',
  'Library/Application Support/opencode',
];

/** Folders in which products keep what calls printed. Their text can be anyone's, so it is never a session. */
const PRINTED: ReadonlySet<string> = new Set(
  ['result', 'results', 'output', 'outputs'].flatMap((name) => [`tool-${name}`, `tool_${name}`]),
);
const PRINTED_REASON = 'printed by a call';

const isPrintedFolder = (name: string): boolean => PRINTED.has(name.toLowerCase());

/**
 * Why a folder scan leaves a file out: its text can be anyone's. Undefined for a session in its product's place, and for
 * a file in no product's folder.
 */
export function leftOutReason(path: string): string | undefined {
  const normal = path.replaceAll('\\', '/');
  if (normal.split('/').slice(0, -1).some(isPrintedFolder)) return PRINTED_REASON;
  for (const { product, home, sessions } of PLACES) {
    const found = home.exec(normal);
    if (found === null) continue;
    const rest = normal.slice(found.index + found[0].length);
    return sessions.test(rest) ? undefined : `where ${product} keeps no sessions`;
  }
  return undefined;
}
