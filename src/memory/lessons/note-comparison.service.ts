import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { ComparedNote, CompareNotes, KeptNote, NoteMark } from './kept-note.js';
import { LessonRepository } from './lesson.repository.js';

/** Notes that a new one is compared with, the newest, and their characters: the work grows with both. */
const MOST = { notes: 400, characters: 100_000 };

/** Compares what an agent writes with what it keeps. The rules stand in a folder below, which sets them at the start. */
@Injectable()
export class NoteComparison {
  private compare: CompareNotes = () => [];

  constructor(private readonly notes: LessonRepository) {}

  use(compare: CompareNotes): void {
    this.compare = compare;
  }

  /** What a new note of the agent is compared with. */
  async keptBy(tx: Tx, agentId: string, project: string | null): Promise<KeptNote[]> {
    let characters = 0;
    return (await this.notes.keptNotes(tx, agentId, project, MOST.notes)).filter(({ content }) => {
      characters += content.length;
      return characters <= MOST.characters;
    });
  }

  marksOf(note: ComparedNote, kept: readonly KeptNote[]): NoteMark[] {
    return this.compare(note, kept);
  }
}
