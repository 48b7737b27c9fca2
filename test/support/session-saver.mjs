import { openSessionMemory } from 'guildbook/sessions';

/**
 * A process for specs that kill it: `node session-saver.mjs <folder> <store> <session>` saves facts until it ends. It
 * prints `ready`, and then the number of each fact once that is saved.
 */
const [folder, store, session] = process.argv.slice(2);
const memory = await openSessionMemory({ folder, store, session });
console.log('ready');
for (let n = 1; ; n += 1) {
  await memory.save({ kind: 'fact', content: `${session} fact ${n}.` });
  console.log(n);
}
