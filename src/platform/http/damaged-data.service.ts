import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { onDamage } from '../database/damaged-rows.js';
import { Readiness, type ReadinessProblem } from './readiness.service.js';

/** Beyond these, rows are counted and not remembered. */
const MAX_REMEMBERED = 10_000;

const ROWS: ReadinessProblem = {
  code: 'database.damaged_rows',
  message: 'Stored rows cannot be read and are left out. The server log names the table and the id of each.',
};
const PAGES: ReadinessProblem = {
  code: 'database.damaged_pages',
  message: 'The database reports damaged pages or indexes. The server log has its messages; restore a backup.',
};

/** Names damaged rows in the log, once each, and reports them in `/readyz` until the server restarts. */
@Injectable()
export class DamagedData implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(DamagedData.name);
  private readonly rows = new Set<string>();
  private hasDamagedPages = false;
  private stop: () => void = () => undefined;

  constructor(readiness: Readiness) {
    readiness.registerProblems(() => [...(this.rows.size > 0 ? [ROWS] : []), ...(this.hasDamagedPages ? [PAGES] : [])]);
  }

  /** Not before: an application that cannot be built has no shutdown that would end it. */
  onModuleInit(): void {
    this.stop = onDamage((damaged) => {
      if (damaged === 'pages') {
        this.hasDamagedPages = true;
        return;
      }
      const name = `${damaged.table} ${damaged.id}`;
      if (this.rows.has(name) || this.rows.size >= MAX_REMEMBERED) return;
      this.rows.add(name);
      this.logger.error({ event: 'DAMAGED_ROW', ...damaged, count: this.rows.size });
    });
  }

  onApplicationShutdown(): void {
    this.stop();
  }
}
