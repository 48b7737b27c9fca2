import { z } from 'zod';
import { ProductSession, sessionImporter } from '../../src/capture/importers/product-session.js';

const at = z.iso.datetime({ offset: true });
const AcmeLine = z.discriminatedUnion('acme', [
  z.object({ acme: z.literal('run'), run: z.string(), task: z.string(), at }),
  z.object({ acme: z.literal('call'), call: z.string(), tool: z.string(), input: z.unknown(), at }),
  z.object({ acme: z.literal('result'), call: z.string(), ok: z.boolean(), text: z.string(), at }),
]);

/** Imports the runs of Acme's agent: one file is one run, and its first line names it. */
export const acmeImporter = sessionImporter({
  product: { format: 'acme', title: 'Acme' },
  byLine: true,
  recognises: (record) => 'acme' in record,
  record: AcmeLine,
  begin() {
    const session = new ProductSession();
    return {
      sessions: [session],
      add(line) {
        session.widen(line.at);
        if (line.acme === 'run') [session.id, session.taskId] = [line.run, line.task];
        // A copy of the call has the same time: the id alone may be that of another one.
        else if (line.acme === 'call')
          session.addCall(line.call, { name: line.tool, input: line.input, at: line.at }, line.at);
        else session.finishCall(line.call, { failed: !line.ok, text: line.text }, line.at);
      },
      finish() {
        session.end = 'ended';
      },
    };
  },
});
