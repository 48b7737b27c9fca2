/**
 * Sends a request on many connections until it is stopped, in a process of its own, so that its work does not delay the
 * times that the section measures. Reads one JSON object as its argument; prints the answers by status.
 */
import { Agent, request } from 'node:http';

const { url, method, path, headers, text, connections, isDistributed } = JSON.parse(process.argv[2] ?? '{}');
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const answers = {};
let isStopped = false;
let sent = 0;

/** From another network each time: an attacker with many addresses, whom no limit for an address stops. */
const address = () => {
  sent += 1;
  return isDistributed
    ? { 'x-forwarded-for': `2001:db8:${(sent >> 16).toString(16)}:${(sent & 0xffff).toString(16)}::1` }
    : {};
};

function ask() {
  return new Promise((done) => {
    const asked = request({ hostname, port, method, path, agent, headers: { ...headers, ...address() } }, (answer) => {
      answers[answer.statusCode] = (answers[answer.statusCode] ?? 0) + 1;
      answer.resume().on('close', done);
    });
    asked.on('error', (error) => {
      answers[error.code] = (answers[error.code] ?? 0) + 1;
      done();
    });
    asked.end(text);
  });
}

process.on('SIGTERM', () => {
  isStopped = true;
});
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (!isStopped) await ask();
  }),
);
agent.destroy();
console.log(JSON.stringify(answers));
