import type { IncomingMessage, ServerResponse } from 'node:http';
import { createWorld } from '../support/world.js';

describe('the adapter', () => {
  it('passes Express requests and responses that already have its prototypes', async () => {
    const world = await createWorld();
    const { request, response } = world.app.getHttpAdapter().getInstance();
    const prototypes: object[] = [];
    world.app
      .getHttpServer()
      .prependListener('request', (...pair: [IncomingMessage, ServerResponse]) =>
        prototypes.push(...pair.map((one) => Object.getPrototypeOf(one))),
      );
    await world.anyone.get('/healthz').expect(200);
    expect(prototypes[0]).toBe(request);
    expect(prototypes[1]).toBe(response);
    await world.close();
  });
});
