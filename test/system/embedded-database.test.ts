import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { DataFolder } from '../support/data-folder.js';
import { deliveryStatus } from '../support/raw-mail.js';

describe('the command line on the embedded database', () => {
  let folder: DataFolder;
  beforeAll(async () => (folder = await DataFolder.create()));
  afterAll(() => folder.remove());

  const cli = (...command: string[]) => runCommand(command, { DATA_DIR: folder.dataDir }, folder.path);

  it('does not create a database', async () => {
    for (const command of [['account', 'list'], ['migrate']]) {
      expect(await cli(...command)).toEqual({
        code: 2,
        stdout: '',
        problems: [expect.stringContaining(`There is no database in ${folder.dataDir}. Set DATABASE_URL`)],
      });
    }
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('works on the database of a stopped service, alongside itself, and leaves nothing running', async () => {
    const service = await folder.start();
    service.process.kill('SIGTERM');
    await service.process.ended;
    const names = ['ada', 'bob'];
    const created = await Promise.all(names.map((name) => folder.cli('account', 'create', name, '--json')));
    expect(created).toEqual(names.map(() => expect.objectContaining({ code: 0, problems: [] })));
    expect(created.map(({ stdout }) => JSON.parse(stdout).name)).toEqual(names);
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('ingests raw mail, with its own key for secrets', async () => {
    const make = '--account ada --provider mail --unproven allow --json'.split(' ');
    const { id } = JSON.parse((await cli('source', 'create', ...make)).stdout);
    const failed = ['Final-Recipient: rfc822; gone@example.com', 'Action: failed', 'Status: 5.1.1'];
    await writeFile(join(folder.path, 'bounce.eml'), deliveryStatus(failed));
    const { code, stdout, problems } = await cli('mail', 'ingest', '--source', id, 'bounce.eml');
    expect([code, problems]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toMatchObject({
      events: [{ recipient: 'gone@example.com', outcome: 'added' }],
    });
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('works while a service starts, serves and has stopped, and never stops its PostgreSQL', async () => {
    const [service, created] = await Promise.all([folder.start(), cli('key', 'create', '--account', 'ada')]);
    expect(created).toMatchObject({
      code: 0,
      problems: expect.arrayContaining([expect.stringContaining('account admit ada')]),
    });
    const pid = folder.postgresPid();
    expect(pid).toBeDefined();
    expect(await cli('account', 'admit', 'ada')).toMatchObject({ code: 0 });
    expect(folder.postgresPid()).toBe(pid);
    const answer = await fetch(`${service.url}/suppressions/nobody%40example.com`, {
      headers: { Authorization: `Bearer ${created.stdout.trim()}` },
    });
    expect(answer.status).toBe(404);
    service.process.kill('SIGTERM');
    expect(await service.process.ended).toMatchObject({ code: 0, problems: [] });
    expect(await cli('key', 'list', '--account', 'ada', '--json')).toMatchObject({ code: 0 });
    expect(folder.postgresPid()).toBeUndefined();
  });
});
