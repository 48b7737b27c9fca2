import { expect, it } from '@jest/globals';
import { startTestApplication } from '../support/application.js';
import { type ListedRoute, listRoutes } from '../support/route-list.js';

const OWN_PAGE = { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' };

it('each public route refuses an address beyond the limit that it declares', async () => {
  const limits = { rateLimitSeconds: 3_600, rateLimitPublic: 1, rateLimitRefused: 1 };
  const { app, close } = await startTestApplication({}, false, limits);
  const open = listRoutes(app).filter(({ guard, limit }) => guard === 'public' && limit !== 'none');
  const statuses = async ({ route }: ListedRoute, n: number): Promise<number[]> => {
    const [method, path = ''] = route.split(' ');
    const send = () =>
      app.inject({
        // The router has these methods only.
        method: method as 'GET' | 'POST' | 'OPTIONS',
        url: path.replace(':name', 'no-such-skill').replace(':file', path.startsWith('/.') ? 'a.md' : 'console.css'),
        remoteAddress: `192.0.2.${n}`,
        ...(method === 'POST' ? { payload: { token: `gbo_${'x'.repeat(43)}` }, headers: OWN_PAGE } : {}),
      });
    return [(await send()).statusCode, (await send()).statusCode];
  };
  const found = await Promise.all(open.map(statuses));
  await close();
  expect(found.map(([first, second], at) => [open[at]?.route, first !== 429, second])).toEqual(
    open.map(({ route }) => [route, true, 429]),
  );
  expect(open.length).toBeGreaterThan(10);
});
