import { execFile, fork, spawn, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../src/database/embedded/postgres-cluster.js';
import type { LoadedDatabase } from './database.js';
import type { Job, LoadResult, Measurement } from './load/job.js';

/** The root folder of the project, seen from `bench/dist/bench`. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SERVICE = join(ROOT, 'dist/src/main.js');
const CLI = join(ROOT, 'dist/src/cli/main.js');

const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 2;
const STOP_TIMEOUT_MS = 10_000;
/** The unit of processor times in Linux's `/proc`: 100 per second on all common processors. */
const CLOCK_TICKS_PER_SECOND = 100;

export type Settings = Record<string, string>;

/** The environment, without any settings of the service that a developer may have. */
const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env;
const ENVIRONMENT: Settings = { PATH, HOME, TMPDIR, SECRETS_KEY: 'be'.repeat(32) };

const running = new Set<ChildProcess>();
let isStopping = false;

export interface Listener {
  process: ChildProcess;
  port: number;
}

/** Runs a command of the service in a temporary folder, so that it reads no developer's `.env`. */
export async function runCli(folder: string, settings: Settings, ...args: string[]): Promise<string> {
  const env = { ...ENVIRONMENT, ...settings };
  return (await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder, env })).stdout;
}

/**
 * Starts the service with default settings, except those given; it logs to a file.
 *
 * @param options - `cpuProf`: the folder for a V8 profile; `preload`: a module that is loaded first, and answers messages
 * @returns with the milliseconds until it was ready
 */
export async function startService(
  folder: string,
  { url }: LoadedDatabase,
  options: { cpuProf?: string | undefined; preload?: string; settings?: Settings | undefined } = {},
): Promise<Listener & { readyMs: number }> {
  const { cpuProf, preload, settings } = options;
  const port = await freePort();
  const log = openSync(join(folder, 'service.log'), 'a');
  const startedMs = performance.now();
  const flags = [
    ...(cpuProf ? ['--cpu-prof', `--cpu-prof-dir=${cpuProf}`] : []),
    ...(preload ? ['--import', preload] : []),
  ];
  const child = track(
    spawn(process.execPath, [...flags, SERVICE], {
      cwd: folder,
      env: { ...ENVIRONMENT, DATABASE_URL: url, PORT: String(port), SHUTDOWN_DELAY: '0', ...settings },
      stdio: preload ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      detached: true,
    }),
  );
  closeSync(log);
  try {
    await untilReady(child, port);
  } catch (error) {
    await stop(child);
    const lines = await readFile(join(folder, 'service.log'), 'utf8').catch(() => '');
    throw new Error(`The service did not start:\n${lines}`, { cause: error });
  }
  return { process: child, port, readyMs: performance.now() - startedMs };
}

export async function startPeer(
  name: 'express' | 'bare-http',
  { url, apiKey, records }: LoadedDatabase,
): Promise<Listener> {
  const port = await freePort();
  const settings = { DATABASE_URL: url, API_KEY: apiKey, ACCOUNT_ID: String(records.accountId) };
  const module = fileURLToPath(new URL(`./peers/${name}.js`, import.meta.url));
  const child = track(fork(module, { env: { ...ENVIRONMENT, ...settings, PORT: String(port) } }));
  await nextMessage(child);
  return { process: child, port };
}

/** The process that sends the load and measures, so that nothing else runs on its event loop. */
export class LoadProcess {
  readonly process = track(fork(fileURLToPath(new URL('./load/main.js', import.meta.url))));

  async run(job: Job): Promise<Measurement> {
    const result = (await ask(this.process, job)) as LoadResult;
    if ('error' in result) {
      throw new Error(result.error);
    }
    return result.measurement;
  }
}

/** Returns the resident memory of a process in bytes, now or at its peak; NaN if the system does not report it. */
export async function memoryOf({ pid }: ChildProcess, when?: 'peak'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = (when ? /^VmHWM:\s*(\d+)/m : /^VmRSS:\s*(\d+)/m).exec(status)?.[1];
  return Number(kilobytes) * 1024;
}

export async function resetPeakMemory({ pid }: ChildProcess): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}

/** Returns the processor time in seconds that a process and its workers have used; NaN if the system does not report it. */
export async function cpuSecondsOf(child: ChildProcess | undefined): Promise<number> {
  if (!child) {
    return NaN;
  }
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '');
  const pids = [String(child.pid), ...children.split(' ').filter(Boolean)];
  const seconds = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [user = NaN, system = NaN] = stat
        .slice(stat.lastIndexOf(')'))
        .split(' ')
        .slice(12, 14)
        .map(Number);
      return (user + system) / CLOCK_TICKS_PER_SECOND;
    }),
  );
  return seconds.reduce((sum, one) => sum + one);
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

/** Stops all processes; later ones do not start. */
export function stopForGood(): Promise<void> {
  isStopping = true;
  return stopAll();
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const exited = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(force);
}

function track(child: ChildProcess): ChildProcess {
  if (isStopping) {
    child.kill('SIGKILL');
    throw new Error('The benchmark is being stopped.');
  }
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) {
      return;
    }
    await delay(READY_POLL_MS);
  }
  throw new Error('The service is not ready.');
}

/** Sends a message to a process, and returns its next one. */
export async function ask(child: ChildProcess, message: Serializable): Promise<unknown> {
  const response = nextMessage(child);
  child.send(message);
  return response;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${child.spawnargs[1]} ended`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
