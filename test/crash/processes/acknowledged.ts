/** What the processes acknowledged, and so must have once: key → the id that the answer named. */
export class Acknowledged {
  /** The title of the task → the id of the execution. */
  readonly reports = new Map<string, string>();
  /** The marker in the text of a lesson that an agent wrote → the id of the memory. */
  readonly lessons = new Map<string, string>();
  /** `skill agent` → the number of reported uses, each of another execution. */
  readonly uses = new Map<string, number>();
  /** Sessions of an agent that received a text at their start, by the agent's id. */
  readonly starts = new Map<string, { readonly agentId: string; readonly text: string }>();
  /** Proposals whose approval or retirement was confirmed. */
  readonly decisions = new Set<string>();
  recalls = 0;

  get counts(): Record<string, number> {
    return {
      reports: this.reports.size,
      lessons: this.lessons.size,
      uses: [...this.uses.values()].reduce((sum, n) => sum + n, 0),
      starts: this.starts.size,
      decisions: this.decisions.size,
      recalls: this.recalls,
    };
  }
}
