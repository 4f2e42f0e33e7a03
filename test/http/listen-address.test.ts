import { httpUrl } from '../../src/http/server/listen-address.js';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000'],
  ['suppressions.internal', 'http://suppressions.internal:3000'],
])('a URL of the host %s is %s', (host, url) => expect(httpUrl(host, 3000)).toBe(url));
