import { type ForeignEnd, isBadStop } from '../importers/foreign-end.js';
import type { ImportTally } from '../importers/import-tally.js';
import { isFields } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { readExitCode } from './marked-exit.js';
import { OpenCodeDocument, OpenCodeMessage, type OpenCodePart, partsIn } from './opencode-session.schema.js';
import { withoutQuotes } from './prompt-text.js';

/**
 * Imports sessions of OpenCode as documents: as its plugin writes them, `opencode export` prints them, and the command line
 * puts them together from the files of older versions. Newer ones keep them in a database. As for every transcript, conversation and outputs stay on the machine.
 */
export const openCodeImporter = sessionImporter({
  product: { format: 'opencode', title: 'OpenCode' },
  recognises: (record) => 'info' in record && 'messages' in record,
  record: OpenCodeDocument,
  isDocument: () => true,
  begin(_context, tally) {
    const session = new ProductSession();
    return { sessions: [session], add: (document) => addDocument(session, document, tally) };
  },
});

function addDocument(session: ProductSession, { info, messages }: OpenCodeDocument, tally: ImportTally): void {
  session.id = info?.id;
  session.parent = info?.parentID;
  session.cwd = info?.directory;
  session.version = info?.version;
  for (const message of messages) {
    const parsed = OpenCodeMessage.safeParse(message);
    session.id ??= parsed.data?.info.sessionID;
    if (!parsed.success) {
      tally.omit('message that is no readable record');
      session.addHole();
    } else {
      const parts = partsIn(parsed.data);
      const lost = parsed.data.parts.length - parts.length;
      tally.omit('part of a message that is no readable record', lost);
      if (lost > 0) session.addHole();
      if (parsed.data.info.role === 'user') addUser(session, parsed.data, parts);
      else if (parsed.data.info.role === 'assistant') addReply(session, parsed.data, parts);
    }
  }
}

function addUser(session: ProductSession, message: OpenCodeMessage, parts: readonly OpenCodePart[]): void {
  session.lastId = message.info.id;
  session.widen(timeOf(message.info.time?.created));
  const texts = parts.flatMap(({ type, text, synthetic }) =>
    type === 'text' && text !== undefined && synthetic !== true ? [text] : [],
  );
  session.addPrompt(withoutQuotes(texts.join('\n')));
}

function addReply(session: ProductSession, message: OpenCodeMessage, parts: readonly OpenCodePart[]): void {
  const { id, time, modelID, path, finish, error } = message.info;
  const at = timeOf(time?.created);
  session.lastId = id;
  session.replies.add(id);
  session.model = modelID ?? session.model;
  session.cwd ??= path?.cwd;
  session.widen(at);
  session.widen(timeOf(time?.completed));
  const calls = parts.filter(({ type }) => type === 'tool');
  for (const call of calls) addCall(session, id, call, at);
  // older versions do not say why an answer ended
  const isAnswer = time?.completed !== undefined && calls.length === 0;
  session.end = endOf(finish ?? (isAnswer ? 'stop' : undefined), error);
  if (error !== undefined && typeof session.end === 'object') session.errorMessage = error.data?.message;
}

function addCall(
  session: ProductSession,
  reply: string,
  { tool = 'unnamed', callID: id, state }: OpenCodePart,
  at: string | undefined,
): void {
  const started = timeOf(state?.time?.start) ?? at;
  if (id === undefined || state === undefined || started === undefined) return;
  const finished = timeOf(state.time?.end) ?? started;
  // a fork gives its copies other ids and keeps their times
  const record = [started, finished, tool, state.input];
  const call = session.addCall(id, { name: tool, input: state.input, at: started, reply }, record);
  session.widen(finished);
  session.finish(call, resultOf(tool, state), finished);
}

/** Undefined for a call that did not end. */
function resultOf(tool: string, state: NonNullable<OpenCodePart['state']>): CallResult | undefined {
  if (state.status === 'error') return { failed: true, text: state.error ?? '' };
  if (state.status !== 'completed') return undefined;
  // the output that the model was sent can hold text of a hook
  const text = state.metadata?.output ?? state.output ?? '';
  const skill = tool === 'skill' && isFields(state.input) ? state.input['name'] : undefined;
  return { ...readExitCode(state.metadata?.exit ?? 0, text), skill };
}

function endOf(finish: string | undefined, error: OpenCodeMessage['info']['error']): ForeignEnd {
  if (error?.name === 'MessageAbortedError') return 'interrupted';
  if (error !== undefined) return { kind: 'api_error', status: error.data?.statusCode, type: error.name ?? '' };
  if (finish === undefined || finish === 'tool-calls') return 'unfinished';
  return isBadStop(finish.replaceAll('-', '_')) ? { kind: 'stopped', reason: finish } : 'ended';
}

const timeOf = (milliseconds: number | undefined): string | undefined =>
  milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
