import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const OWNER = 'Rosa';
const PROJECT = 'shop';
const FACT = 'fixtures live in testdata/golden/';
const LIMIT = 120;

/** One agent tries to use up what all agents of its owner share. */
export const section: Section = {
  name: 'shares',
  settings: { GUILDBOOK_RATE_LIMIT_PRINCIPAL: String(LIMIT) },
  async *attempts(server) {
    const [honest, reader, loud] = [
      await server.agent('honest', OWNER),
      await server.agent('reader', OWNER),
      await server.agent('loud', OWNER),
    ];
    await save(server, honest, 'fact', FACT, 'earlier');
    for (let n = 0; n < 20; n += 1)
      for (const kind of ['fact', 'session-summary'])
        await save(server, loud, kind, `${FACT} ${n} ${'noise '.repeat(20)}`, `loud-${n}`);
    const preamble = await server.call('GET', `/v1/session-memory/preamble?project=${PROJECT}`, { token: reader });
    yield kept('one agent fills the start text of the others', preamble);
    for (const query of [FACT, '']) {
      const body = { query, project: PROJECT, limit: 3 };
      const found = await server.call('POST', '/v1/session-memory/recall', { token: reader, body });
      yield kept(`one agent fills the recall of ${query === '' ? 'the newest entries' : 'matching entries'}`, found);
    }
    yield* onLimits(server, loud);
  },
};

async function save(server: AttackedServer, token: string, kind: string, content: string, sessionId: string) {
  const body = { kind, content, sessionId, project: PROJECT };
  const { status } = await server.call('POST', '/v1/session-memory/entries', { token, body });
  if (status >= 300) throw new Error(`the entry was refused: ${status}`);
}

/** Held if the answer has the entry of the honest agent. */
function kept(name: string, { status, body }: { status: number; body: unknown }): Attempt {
  const text = JSON.stringify(body);
  const isKept = /"(?:by|agent)(?:\\?":\s*\\?")(?:agent )?honest\\?"/.test(text);
  return attempt(
    name,
    status === 200 && isKept,
    `status ${status}, the entry of the other agent ${isKept ? 'is' : 'is not'} there`,
  );
}

/** Two agents use up their limits, which were the limit of their owner. */
async function* onLimits(server: AttackedServer, loud: string): AsyncIterable<Attempt> {
  for (const token of [loud, await server.agent('louder', OWNER)])
    for (let n = 0, status = 200; status !== 429 && n <= LIMIT; n += 1)
      ({ status } = await server.call('GET', '/v1/me', { token }));
  const late = await server.agent('late', OWNER);
  const { status } = await server.call('GET', '/v1/me', { token: late });
  yield attempt('two agents use up the request limit of their owner', status === 200, `a third one gets ${status}`);
}
