/** A live note or entry of an agent. */
export interface KeptNote {
  readonly id: string;
  readonly kind: string;
  readonly content: string;
  readonly contentSha256: string;
  readonly createdAt: Date;
}

/** Two live notes of one agent that cannot both hold, as they were found when the second one was written. */
export interface NoteQuestion {
  readonly agent: string;
  readonly kind: string;
  readonly says: string;
  readonly otherKind: string;
  readonly other: string;
  readonly at: Date;
}

/** A note that is about to be stored. */
export type ComparedNote = Pick<KeptNote, 'kind' | 'content' | 'contentSha256'>;

/** A live note of the agent that says the same, or that cannot hold together with the new one. */
export interface NoteMark {
  readonly id: string;
  readonly is: 'same' | 'contradiction';
  readonly kind: string;
  readonly at: Date;
}

export type CompareNotes = (note: ComparedNote, kept: readonly KeptNote[]) => NoteMark[];

const CONTRADICTS = 'contradicts:';

/** Stored with a note, so that its owner is asked about both as long as both are live. */
export const contradictionTags = (marks: readonly NoteMark[]): string[] =>
  marks.flatMap(({ id, is }) => (is === 'contradiction' ? [`${CONTRADICTS}${id}`] : []));

/** For a text that is another one than that which was compared, or another agent's: it asks nothing. */
export const withoutContradictions = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !tag.startsWith(CONTRADICTS));

/** What its agent reads about a note. It quotes no text of the other one: that is read in its fence. */
export const markWarnings = (marks: readonly NoteMark[]): string[] =>
  marks.map(({ id, is, kind, at }) => {
    const other = `the ${kind} ${id} of ${at.toISOString().slice(0, 10)}`;
    return is === 'same'
      ? `It says the same as ${other}.`
      : `It contradicts ${other}. Both are kept, and the owner of the agent is asked which one holds.`;
  });
