import supertest from 'supertest';

/** Requests to the routes of a listening server, with a token if there is one. An answer has its `status`, `body` and `text`. */
export function http({ url }: { readonly url: string }, token?: string) {
  const requests = supertest.agent(url);
  return token === undefined ? requests : requests.auth(token, { type: 'bearer' });
}
