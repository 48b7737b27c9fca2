/** The messages that are answered with the instructions of the server, in the revisions with and without a handshake. */
const OPENING: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);
/** The tools that list: their answers, or what is read for them, grow with the data. */
const LISTING: ReadonlySet<unknown> = new Set([
  'list_skills',
  'recall_sessions',
  'read_session',
  'embedder_runs',
  'embedder_checkpoints',
]);

export const opensConnection = (body: unknown): boolean => messagesOf(body).some(({ method }) => OPENING.has(method));

/** Whether the body lists, or reads a file, which is searched among those of all skills. */
export const listsData = (body: unknown): boolean =>
  messagesOf(body).some(({ method, params }) =>
    method === 'tools/call'
      ? LISTING.has(Object(params).name)
      : typeof method === 'string' && /^(?:resources|skills)\//.test(method),
  );

/** The messages of a body, which is one or, from older clients, a list of them. */
const messagesOf = (body: unknown): { readonly method?: unknown; readonly params?: unknown }[] =>
  (Array.isArray(body) ? body : [body]).map(Object);
