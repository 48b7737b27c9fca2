/** What makes two lessons of one agent the same: the failure, and the remedy. Without a remedy, nothing overcame it. */
export interface LessonKeys {
  readonly failureKey: string;
  readonly remedyKey: string | null;
}

/** An execution that showed what a lesson says. */
export interface Witness {
  readonly executionId: string;
  readonly sessionId: string | null;
}

/** An execution of a session. */
export interface SessionExecution {
  readonly agentId: string;
  readonly sessionId: string;
  readonly executionId: string;
}
