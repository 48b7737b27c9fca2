import { afterAll, beforeAll, describe } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { deciding } from './deciding.js';
import { looking } from './looking.js';
import { loop } from './loop.js';

/** One server for all parts, in this order: the first part needs an empty one. */
describe('the console in a browser', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  describe('the loop', () => loop(() => app));
  describe('deciding', () => deciding(() => app));
  describe('every screen', () => looking(() => app));
});
