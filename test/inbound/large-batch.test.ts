import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { sparkpost } from '../../src/inbound/providers/sparkpost/provider.js';
import { createSource, postWithCredential, readInbox, sparkpostBatch } from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

describe('a large batch', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('is read in parts, so that other requests are served in between, and stored as a whole', async () => {
    const source = await createSource(world, 'sparkpost');
    const emails = Array.from({ length: 1_050 }, () => `${randomUUID()}@example.com`);
    const batch = sparkpostBatch(emails.map((raw_rcpt_to) => ({ type: 'delivery', raw_rcpt_to })));
    const read = jest.spyOn(sparkpost, 'read');
    const { status } = await postWithCredential(world, source, batch);
    const sizes = read.mock.calls.map(([part]) => (part as unknown[]).length);
    read.mockRestore();
    expect(status).toBe(200);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect((await readInbox(world, source)).toSorted()).toEqual(
      emails.map((email) => `${email} delivered success: nothing`).toSorted(),
    );
  });

  it('of more than 5,000 events is refused, and none is stored', async () => {
    const source = await createSource(world, 'sparkpost');
    const { status, body } = await postWithCredential(
      world,
      source,
      Array.from({ length: 5_001 }, () => 0),
    );
    expect([status, body.code]).toEqual([400, 'malformed_body']);
    expect(await readInbox(world, source)).toEqual([]);
  });
});
