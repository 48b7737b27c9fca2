/** One attempt to get around a promise. `through` means that the promise did not hold. */
export interface Attempt {
  /** What was tried, as a short sentence: "a commit by hand is pushed". */
  readonly name: string;
  readonly outcome: 'held' | 'through';
  /** What was observed: a status and code, a file that did not appear. Names the fault when `through`. */
  readonly detail: string;
}

/** The built server with folders and a database that belong to one section. */
export interface AttackedServer {
  readonly database: 'embedded' | 'postgresql';
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  /** Everything below is disposable: the working folder, the skills repository, and the embedded database. */
  readonly folder: string;
  readonly skillsDir: string;
  readonly dataDir: string;
  /** Owner of the PostgreSQL database; undefined with the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Output of the server since its last start. */
  readonly log: string;
  /** A token of the first person, who administers and reviews. Valid for an hour. */
  readonly adminToken: string;
  /** Makes a person with the role reviewer and returns a token that decides. */
  reviewer(name: string): Promise<string>;
  /** Makes an agent of an owner and returns its token. */
  agent(name: string, owner?: string): Promise<string>;
  /** Sends JSON and returns the status and the answer, parsed if it is JSON, otherwise as text. Follows no redirect. */
  call(
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string>; text?: string },
  ): Promise<{ status: number; body: unknown; headers: Headers }>;
  /**
   * Submits a skill, as a cycle would, and returns its proposal id and the hash of its bytes. With the embedded database
   * the server is restarted for it, and its address changes.
   */
  propose(skill: { name: string; description: string; body: string }): Promise<{ id: string; sha256: string }>;
  /** Approves the present bytes with the token of a reviewer and waits until the commit is on main. */
  approve(id: string, token: string): Promise<void>;
  /** Stops the server if it runs, and starts it again with further settings. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

/** The attacks on one promise. Each section has a server to itself, so that damage does not reach another section. */
export interface Section {
  readonly name: string;
  /** Settings of its server, besides those of every test. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Databases on which it runs; both without this. */
  readonly databases?: readonly AttackedServer['database'][];
  /**
   * Tries the attacks and yields an attempt for each as soon as it is known. With `isQuick`, those that fit into a few
   * seconds: they represent each kind of attack of the section.
   */
  attempts(server: AttackedServer, options: { readonly isQuick: boolean }): AsyncIterable<Attempt>;
}

/** An attempt that held if `isHeld`. */
export function attempt(name: string, isHeld: boolean, detail: string): Attempt {
  return { name, outcome: isHeld ? 'held' : 'through', detail };
}
