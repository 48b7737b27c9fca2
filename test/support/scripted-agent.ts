import { fencedHits, type SessionMemory } from '../../src/session-stores/sessions.js';

/** What a session of the scripted agent showed: its answers, and the tools that it called. */
export interface AgentTurn {
  readonly answer: string;
  readonly calls: readonly string[];
}

/**
 * An agent whose model is a script, at the edge of the process. It gets the preamble as its system prompt and the tools
 * `remember`, `recall` and `read`. It remembers what it is asked to, answers a question from its system prompt if that
 * shares two of the question's words, and otherwise recalls, reads the sessions whose
 * summary has the longest word of the question, and answers from them.
 */
export class ScriptedAgent {
  private constructor(
    private readonly memory: SessionMemory,
    readonly systemPrompt: string,
  ) {}

  static async start(memory: SessionMemory): Promise<ScriptedAgent> {
    return new ScriptedAgent(memory, `You are an agent.\n${await memory.preamble()}`);
  }

  async turn(message: string): Promise<AgentTurn> {
    const asked = /^remember that (.+)$/.exec(message)?.[1];
    if (asked !== undefined) {
      await this.memory.save({ kind: 'fact', content: asked });
      return { answer: 'remembered', calls: ['remember'] };
    }
    const known = lineAbout(this.systemPrompt, message);
    if (known !== undefined) return { answer: known, calls: [] };
    const hits = await this.memory.recall(message);
    const subject = wordsOf(message).reduce((longest, word) => (word.length > longest.length ? word : longest), '');
    const about = hits.filter(({ summary }) => summary.toLowerCase().includes(subject));
    const found = new Set(about.flatMap(({ session }) => session ?? []));
    const bodies: string[] = [fencedHits(about)];
    for (const session of found) for (const { content } of await this.memory.read(session)) bodies.push(content);
    return { answer: bodies.join('\n'), calls: ['recall', ...[...found].map(() => 'read')] };
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]{4,}/g) ?? [];

function lineAbout(text: string, question: string): string | undefined {
  const words = wordsOf(question);
  return text.split('\n').find((line) => words.filter((word) => line.toLowerCase().includes(word)).length >= 2);
}
