import { execFile, fork, spawn, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../src/database/embedded/postgres-cluster.js';
import type { LoadedDatabase } from './database.js';
import type { Answer, Job, Measurement } from './load/job.js';

/** The folder of the project, from `bench/dist/bench`. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SERVICE = join(ROOT, 'dist/src/main.js');
const CLI = join(ROOT, 'dist/src/cli/main.js');
const SECRETS_KEY = 'be'.repeat(32);

const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 2;
const STOP_TIMEOUT_MS = 10_000;
/** Of Linux's /proc, on all processors that we run on. */
const CLOCK_TICKS_PER_SECOND = 100;

export type Settings = Record<string, string>;

const running = new Set<ChildProcess>();
let stopping = false;

/** A process that listens on a port. */
export interface Listener {
  process: ChildProcess;
  port: number;
}

/** Runs a command of the service. In a folder of ours, so that no `.env` of a developer is read. */
export async function runCli(folder: string, settings: Settings, ...args: string[]): Promise<string> {
  const env = { ...inherited(), SECRETS_KEY, ...settings };
  return (await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder, env })).stdout;
}

export interface StartOptions {
  /** The folder for a V8 profile. */
  cpuProf?: string | undefined;
  /** A module that is loaded first, and answers messages. */
  preload?: string;
  /** Settings that differ from the defaults. */
  settings?: Settings | undefined;
}

/**
 * Starts the service as `npm start` does, with every default but its address; it logs to a file.
 *
 * @returns with the milliseconds from the start until it was ready
 */
export async function startService(
  folder: string,
  { url }: LoadedDatabase,
  { cpuProf, preload, settings = {} }: StartOptions = {},
): Promise<Listener & { readyMs: number }> {
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
      env: {
        ...inherited(),
        SECRETS_KEY,
        DATABASE_URL: url,
        PORT: String(port),
        SHUTDOWN_DELAY: '0',
        ...settings,
      },
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
  const child = track(
    fork(fileURLToPath(new URL(`./peers/${name}.js`, import.meta.url)), {
      env: { ...inherited(), ...settings, PORT: String(port) },
    }),
  );
  await firstMessage(child);
  return { process: child, port };
}

/** A process that makes the load and measures, so that nothing else runs on its event loop. */
export class LoadProcess {
  readonly process = track(fork(fileURLToPath(new URL('./load/main.js', import.meta.url))));

  async run(job: Job): Promise<Measurement> {
    const answer = (await ask(this.process, job)) as Answer;
    if ('error' in answer) {
      throw new Error(answer.error);
    }
    return answer.measurement;
  }
}

/** Octets that a process holds in memory, where the system tells (Linux). */
export async function memoryOf({ pid }: ChildProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Seconds of processor time that a process and its workers have used, where the system tells (Linux). */
export async function cpuSecondsOf({ pid }: ChildProcess): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const pids = [String(pid), ...children.split(' ').filter(Boolean)];
  const seconds = await Promise.all(pids.map(ownCpuSecondsOf));
  return seconds.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one));
}

async function ownCpuSecondsOf(pid: string): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return user === undefined || system === undefined ? undefined : (user + system) / CLOCK_TICKS_PER_SECOND;
}

/** Stops whatever was started here. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

/** Stops whatever was started here, and lets nothing start after it. */
export function stopForGood(): Promise<void> {
  stopping = true;
  return stopAll();
}

/** Ends a process kindly, or else by force. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const exited = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  if (child.connected) {
    child.disconnect();
  } else {
    child.kill('SIGTERM');
  }
  await exited;
  clearTimeout(force);
}

function track(child: ChildProcess): ChildProcess {
  if (stopping) {
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
  throw new Error('not ready in time');
}

/** Sends a message to a process, and returns its answer. */
export async function ask(child: ChildProcess, message: Serializable): Promise<unknown> {
  const answer = firstMessage(child);
  child.send(message);
  return answer;
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((done, fail) => {
    const onExit = () => fail(new Error(`${child.spawnargs[1]} ended on its own`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      done(message);
    });
  });
}

/** The environment without the settings of the service that a developer may have. */
function inherited(): Settings {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }) };
}
