/** What makes two lessons of one agent the same: the failure, and the remedy. Without a remedy, nothing overcame it. */
export interface LessonKeys {
  readonly failureKey: string;
  readonly remedyKey: string | null;
}

/** The agents whose private lessons are about a failure. Numbers only: the lessons never leave their agents. */
export interface FailureWitnesses {
  readonly agents: number;
  /** Those of them whose lesson names the remedy that was asked for. */
  readonly withRemedy: number;
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
