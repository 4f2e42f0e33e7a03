import type { ServerResponse } from 'node:http';
import { cutOff, failOnce, type FakeRequest, type Fault } from '../fake-providers/fake-provider.js';
import type { MonthLog } from './month-log.js';
import type { Random } from './month-people.js';
import type { Site } from './month-sites.js';

const BUSY = 429;
/** A pause is as long as asked but for the time that a response takes. */
const ON_THE_WAY_MS = 50;

/** What goes wrong at the providers, and whether the service waits as long as they ask. */
export class MonthFaults {
  private readonly held: ServerResponse[] = [];
  /** Until when a provider wants no requests, in the time of the simulation: pages, and others. */
  private readonly pauses = new Map<string, number>();

  constructor(
    private readonly log: MonthLog,
    private readonly random: Random,
    /** Whether the process that sends the present request was killed by it, and so learns nothing from the response. */
    private readonly isKilled: () => boolean,
  ) {}

  inject(site: Site): void {
    const seconds = [1, 2, 5, 30][this.random(4)]!;
    const faults: Record<string, Fault> = {
      'busy for a time': this.busy(site, seconds),
      busy: this.busy(site, null),
      down: failOnce(503),
      cut: cutOff,
      slow: (response) => Boolean(this.held.push(response)),
      silent: (response) => Boolean(response.destroy()),
    };
    const what = Object.keys(faults)[this.random(6)]!;
    this.log.count(`fault: ${what}`);
    site.fake.faults.push(faults[what]!);
    if (this.random(4) === 0) {
      site.fake.losses++;
    }
  }

  /** Slow answers arrive. */
  release(): void {
    this.held.splice(0).forEach((response) => response.writeHead(503).end('{}'));
  }

  onRequest(site: Site, request: FakeRequest, wasKilled: boolean): void {
    const lane = laneOf(site, request.url.pathname, site.isPage(request));
    if (!wasKilled && this.log.now() + ON_THE_WAY_MS < (this.pauses.get(lane) ?? 0)) {
      const early = Math.round((this.pauses.get(lane)! - this.log.now()) / 1_000);
      this.log.violations.push(`night ${this.log.nights}: ${lane} was asked ${early} s too early`);
    }
  }

  private busy(site: Site, seconds: number | null): Fault {
    return (response, { method, url: path, headers }) => {
      const url = new URL(path!, site.fake.url);
      const isPage = site.isPage({ method: method!, url, headers, body: '' });
      const lane = laneOf(site, url.pathname, isPage);
      if (!this.isKilled()) {
        this.pauses.set(lane, this.log.now() + (seconds ?? (isPage ? 0.4 : 59)) * 1_000);
      }
      response.writeHead(BUSY, seconds === null ? {} : { 'retry-after': String(seconds) }).end('{}');
      return true;
    };
  }
}

function laneOf({ name }: Site, path: string, isPage: boolean): string {
  return path.endsWith('/account') ? `${name} account` : `${name} ${isPage ? 'pages' : 'entries'}`;
}
