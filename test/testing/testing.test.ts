import request from 'supertest';
import { startSuppressionList, type TestService } from '../../src/testing.js';

describe('the service for the tests of other projects', () => {
  let service: TestService;
  beforeAll(async () => (service = await startSuppressionList()));
  afterAll(() => service.stop());

  it('is the real one, with a key in hand', async () => {
    const authorization = { Authorization: `Bearer ${service.apiKey}` };
    await request(service.url)
      .post('/suppressions')
      .set(authorization)
      .send({ email: 'ada@example.com' })
      .expect(201);
    await request(service.url).get('/suppressions/ada@example.com').set(authorization).expect(200);
  });

  it('gives every account a list of its own', async () => {
    const apiKey = await service.createApiKey('another', ['suppressions:read']);
    const another = request.agent(service.url).set('Authorization', `Bearer ${apiKey}`);
    await another.get('/suppressions/ada@example.com').expect(404);
    await another.post('/suppressions').send({ email: 'ada@example.com' }).expect(401);
  });
});
