import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child-process.js';
import { until } from '../support/until.js';
import { answerTo, beginUpload } from '../support/uploads.js';
import { createWorld, type World } from '../support/world.js';

describe('stopping the service during uploads', () => {
  let folder: string;
  let world: World;
  const children: Child[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-streams-'));
    world = await createWorld();
  });
  afterAll(async () => {
    for (const child of children) {
      child.kill('SIGKILL');
      await child.ended;
    }
    await world.close();
    await rm(folder, { recursive: true });
  });

  const start = async (settings: Record<string, string>) => {
    const child = Child.service({ DATABASE_URL: world.database.url, ...settings }, folder);
    children.push(child);
    const [, url] = await child.says(/listening on (http:[\d.:/]+)/);
    return { child, url: url! };
  };
  const countUploads = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM jobs WHERE status = 'uploading'`,
    );
    return row!.count;
  };

  it('lets them end within SHUTDOWN_TIMEOUT, and then cuts them', async () => {
    const [patient, impatient] = await Promise.all([
      start({ SHUTDOWN_TIMEOUT: '60' }),
      start({ SHUTDOWN_TIMEOUT: '5' }),
    ]);
    const uploads = [patient, impatient].map(({ url }) => beginUpload(url, world.alice));
    const cut = expect(answerTo(uploads[1]!)).rejects.toThrow('socket hang up');
    await until(async () => (await countUploads()) === uploads.length);
    patient.child.kill('SIGTERM');
    impatient.child.kill('SIGTERM');
    await cut;
    expect(await impatient.child.ended).toMatchObject({ code: 0, problems: [] });
    expect(impatient.child.stdout).toContain('cutting the streams');
    uploads[0]!.end('late@example.com\n');
    expect((await answerTo(uploads[0]!)).statusCode).toBe(202);
    expect(await patient.child.ended).toMatchObject({ code: 0, problems: [] });
    expect(patient.child.stdout).not.toContain('cutting the streams');
  });
});
