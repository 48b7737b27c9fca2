import type { Guildbook } from '../../client/guildbook.js';
import { GuildbookError } from '../../client/guildbook.js';
import { present } from '../../platform/base/optional.js';
import type { SessionEntry, SessionMemory } from '../../sessions/entries/session-memory.schema.js';
import type { StoredEntry } from '../../sessions/store/stored-session.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { givenPath } from '../terminal/command-process.js';
import { formatCount, oneLine, print, printJson } from '../terminal/terminal.js';

export interface FolderOption {
  readonly folder: string;
  readonly project?: string;
}

export interface PushOptions extends FolderOption {
  readonly agent: string;
}

type Pushed = 'added' | 'edited' | 'known' | 'ended';

/** Refusals that leave the rest of a folder to be sent. */
const ENDED: readonly string[] = ['memory.entry_ended', 'memory.summary_edited'];

/** The memory in a folder. Loads the rules of redaction and of summaries, which no other command needs. */
export async function openMemory({ folder, project }: FolderOption): Promise<SessionMemory> {
  const { openSessionMemory } = await import('../../session-stores/sessions.js');
  return openSessionMemory({ folder: givenPath(folder), readOnly: true, ...present({ project }) });
}

/**
 * Sends the entries of a folder to the memory of an agent on the server. What the server has is not sent again; an entry
 * that a person edited in its file replaces the one that the server has, as the person's.
 */
export async function pushSessions(connection: ConnectionOptions, options: PushOptions): Promise<void> {
  const { agent } = options;
  const memory = await openMemory(options);
  const sessions = await memory.sessions();
  const client = await connect(connection);
  const counts: Record<Pushed, number> = { added: 0, edited: 0, known: 0, ended: 0 };
  for (const { session } of sessions.reverse()) {
    const { items } = await client.sessionMemory.read(session, { agent });
    for (const entry of await memory.read(session)) counts[await push(client, agent, session, entry, items)] += 1;
  }
  if (connection.json) return printJson({ agent, sessions: sessions.length, ...counts });
  const { added, edited, known, ended } = counts;
  print(
    oneLine(
      `${formatCount(sessions.length, 'session')} of ${agent}: ${added} added, ${edited} edited, ${known} known, ${ended} ended on the server.`,
    ),
  );
}

async function push(
  client: Guildbook,
  agent: string,
  sessionId: string,
  entry: SessionEntry,
  stored: readonly StoredEntry[],
): Promise<Pushed> {
  const { kind, content, tags, pinned, provenance, at, project, figures } = entry;
  if (stored.some((one) => isSame(one, entry))) return 'known';
  try {
    const before = provenance.by === 'person' ? stored.find((one) => one.kind === kind && one.at === at) : undefined;
    if (before) {
      await client.sessionMemory.edit(before.id, { content, tags: [...tags] });
      return 'edited';
    }
    await client.sessionMemory.save({
      kind,
      content,
      tags: [...tags],
      pinned,
      // Whom the file names is not known to be true: what is a person's is stored as that of the person who pushes.
      provenance: provenance.by === 'person' ? { by: 'person' } : provenance,
      sessionId,
      agent,
      ...present({ at, project, figures }),
    });
    return 'added';
  } catch (error) {
    if (error instanceof GuildbookError && ENDED.includes(error.problem.code)) return 'ended';
    throw error;
  }
}

const isSame = (stored: StoredEntry, { kind, content, tags }: SessionEntry): boolean =>
  stored.kind === kind &&
  stored.content === content &&
  [...stored.tags].sort().join(' ') === [...tags].sort().join(' ');
