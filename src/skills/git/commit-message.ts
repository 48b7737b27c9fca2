import { visibleLine } from '../document/frontmatter.js';
import { isSkillName } from '../document/slug.js';

/**
 * Facts of a decision that its commit names. `journal` is the entry that recorded it: its number, its hash (hex), and
 * the journal's signature of both (base64), which is missing for decisions from before the journal was signed.
 */
export interface DecisionFacts {
  name: string;
  proposalId: string;
  /** SHA-256 of the published file, or of the file that a retirement removes: 64 lower-case hex digits. */
  artifactSha256: string;
  journal: { seq: number; hash: string; signature?: string };
}

export const APPROVAL_TRAILER = 'Guildbook-Approval';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[A-Za-z0-9+/]{40,200}={0,2}$/;

/** True for a lower-case UUID, the only form in which git names an approval. */
function isProposalId(value: string): boolean {
  return UUID.test(value);
}

/**
 * The message of a publication commit, made only from ids, hashes, numbers and a checked name: text of a proposal in a
 * message can forge trailers such as `Approved-by:` (measured). The private field makes the type nominal, so that no
 * string can be passed instead.
 */
export class CommitMessage {
  readonly #text: string;

  private constructor(
    subject: string,
    readonly facts: Readonly<DecisionFacts>,
  ) {
    this.#text = `${subject}\n\n${trailers(facts)}`;
  }

  /** `Publish <name> v<version>`. Throws TypeError for an invalid fact. */
  static publish(facts: DecisionFacts & { version: number }): CommitMessage {
    requireFacts(facts);
    if (!isCount(facts.version) || facts.version === 0) throw new TypeError('version must be a positive integer');
    return new CommitMessage(`Publish ${facts.name} v${facts.version}`, facts);
  }

  /** `Rename <from> to <name> v<version>`. Throws TypeError for an invalid fact. */
  static rename(facts: DecisionFacts & { from: string; version: number }): CommitMessage {
    const { facts: checked } = CommitMessage.publish(facts);
    if (!isSkillName(facts.from)) throw new TypeError('from must be the name of a skill');
    return new CommitMessage(`Rename ${facts.from} to ${facts.name} v${facts.version}`, checked);
  }

  /** `Restore <name> v<version>`. Throws TypeError for an invalid fact. */
  static restore(facts: DecisionFacts & { version: number }): CommitMessage {
    const { facts: checked } = CommitMessage.publish(facts);
    return new CommitMessage(`Restore ${facts.name} v${facts.version}`, checked);
  }

  /** `Retire <name>`. Throws TypeError for an invalid fact. */
  static retire(facts: DecisionFacts): CommitMessage {
    requireFacts(facts);
    return new CommitMessage(`Retire ${facts.name}`, facts);
  }

  toString(): string {
    return this.#text;
  }
}

function trailers({ proposalId, artifactSha256, journal }: DecisionFacts): string {
  return [
    `${APPROVAL_TRAILER}: ${proposalId}`,
    `Guildbook-Artifact-Sha256: ${artifactSha256}`,
    `Guildbook-Journal: ${journal.seq}:${journal.hash}`,
    ...(journal.signature === undefined ? [] : [`Guildbook-Journal-Signature: ${journal.signature}`]),
    '',
  ].join('\n');
}

function requireFacts({ name, proposalId, artifactSha256, journal }: DecisionFacts): void {
  if (!isSkillName(name)) throw new TypeError('name must be the name of a skill');
  if (!isProposalId(proposalId)) throw new TypeError('proposalId must be a lower-case UUID');
  if (!SHA256.test(artifactSha256)) throw new TypeError('artifactSha256 must be 64 hex digits');
  if (!SHA256.test(journal.hash)) throw new TypeError('journal.hash must be 64 hex digits');
  if (journal.signature !== undefined && !SIGNATURE.test(journal.signature))
    throw new TypeError('journal.signature must be base64');
  if (!isCount(journal.seq)) throw new TypeError('journal.seq must be a whole number');
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

export interface CommitAuthor {
  name: string;
  email: string;
}

/**
 * Makes the reviewer's name and address safe for git. `<`, `>` and line ends delimit the author line of a commit,
 * control characters would act on the terminal that shows the log, and git refuses a name made of punctuation only.
 */
export function safeAuthor({ name, email }: CommitAuthor): CommitAuthor {
  const words = visibleLine(name.replace(/[<>]/g, ' ')).slice(0, 100);
  const address = email.replace(/[^A-Za-z0-9._%+@-]/g, '').slice(0, 254);
  return {
    name: /[\p{L}\p{N}]/u.test(words) ? visibleLine(words) : 'Unnamed reviewer',
    email: /^[A-Za-z0-9][^@]*@[^@]+$/.test(address) ? address : 'reviewer@localhost',
  };
}
