import { brevo } from '../../../src/inbound/providers/brevo.js';
import { mailjet } from '../../../src/inbound/providers/mailjet.js';
import { postmark } from '../../../src/inbound/providers/postmark.js';
import { sparkpost } from '../../../src/inbound/providers/sparkpost.js';
import { basic, delivery, source } from '../../support/deliveries.js';

const SOURCE = source({ username: 'events', password: 'correct:horse' });

describe.each([postmark, sparkpost, brevo, mailjet])('a delivery of $name', (provider) => {
  it('is verified by its user name and password', async () => {
    await expect(provider.verify(delivery([], basic('events', 'correct:horse')), SOURCE)).resolves.toEqual(
      {},
    );
  });

  it('is verified by its password as a bearer token', async () => {
    const headers = { authorization: 'bearer correct:horse' };
    await expect(provider.verify(delivery([], headers), SOURCE)).resolves.toEqual({});
  });

  it.each([
    ['without a credential', {}],
    ['with another password', basic('events', 'battery')],
    ['with a longer password', basic('events', 'correct:horses')],
    ['with another user name', basic('Events', 'correct:horse')],
    ['with the colon elsewhere', basic('events:correct', 'horse2')],
    ['with the user name as a token', { authorization: 'Bearer events' }],
    ['with an empty token', { authorization: 'Bearer ' }],
    ['with another scheme', { authorization: 'Digest correct:horse' }],
  ])('is refused %s, and challenged', async (_how, headers) => {
    await expect(provider.verify(delivery([], headers), SOURCE)).rejects.toMatchObject({
      code: 'invalid_signature',
      statusCode: 401,
      headers: { 'WWW-Authenticate': expect.stringMatching(/^Basic /) },
    });
  });

  it.each<Record<string, string>>([{}, { username: '', password: '' }, { username: 'events', password: '' }])(
    'is refused when the source has %j',
    async (secrets) => {
      const request = delivery([], basic('events', ''));
      await expect(provider.verify(request, source(secrets))).rejects.toMatchObject({ statusCode: 401 });
    },
  );
});
