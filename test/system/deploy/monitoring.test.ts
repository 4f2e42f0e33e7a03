import 'reflect-metadata';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { MetricsServer } from '../../../src/metrics/metrics-server.js';
import { MtaMetrics } from '../../../src/mta/mta-metrics.js';
import { has, run } from '../../support/programs.js';
import { createWorld } from '../../support/world.js';

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}

interface RuleTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
}

interface Panel {
  title: string;
  targets: { expr: string }[];
}

const ALERTS = 'deploy/prometheus/alerts.yaml';
const TESTS = ['deploy/prometheus/alerts.test.yaml', 'deploy/prometheus/alerts-of-days.test.yaml'];
const rules: Rule[] = parse(readFileSync(ALERTS, 'utf8')).groups[0].rules;
const panels: Panel[] = JSON.parse(readFileSync('deploy/grafana/dashboard.json', 'utf8')).panels;
const queries = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
);

describe('the alert rules and the dashboard', () => {
  it('ask for metrics that the service, or its process for mail servers, has', async () => {
    const world = await createWorld({ METRICS_PORT: '0' });
    const ofService = await fetch(world.app.get(MetricsServer).url!).then((response) => response.text());
    await world.close();
    const mta = new MtaMetrics();
    mta.observeReplica(() => 0);
    const text = ofService + (await mta.registry.metrics());
    const exported = new Set(Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name!));
    const queried = [...rules.map(({ expr }) => expr), ...queries].flatMap(
      (expr) => expr.match(/\b(?:suppression_list|nodejs|process)_\w+/g) ?? [],
    );
    const unknown = queried.filter((name) => !exported.has(name.replace(/_(?:bucket|count|sum)$/, '')));
    expect(queried.length).toBeGreaterThan(20);
    expect(unknown).toEqual([]);
  });

  it('have a runbook for each alert, and no other', () => {
    const headings = readFileSync('docs/alerts.md', 'utf8').match(/(?<=^## ).+$/gm);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
      rules.map(({ alert }) => `docs/alerts.md#${alert.toLowerCase()}`),
    );
  });
});

describe('the tests of the rules', () => {
  it('have a moment when each alert fires and one when it does not', () => {
    const tests = TESTS.flatMap((file) => (parse(readFileSync(file, 'utf8')) as RuleTests).tests);
    const moments = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    const namesOf = (fires: boolean) =>
      new Set(moments.filter((one) => one.exp_alerts.length > 0 === fires).map((one) => one.alertname));
    const names = new Set(rules.map(({ alert }) => alert));
    expect(namesOf(true)).toEqual(names);
    expect(namesOf(false)).toEqual(names);
  });
});

(has('promtool', ['--version'], 'prometheus') ? describe : describe.skip)('promtool', () => {
  it('accepts the rules, and they fire when they should', () => {
    expect(run('promtool', ['check', 'rules', ALERTS])).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(run('promtool', ['test', 'rules', ...TESTS])).toContain('SUCCESS');
  });

  it('accepts every query of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'suppression-list-queries-'));
    const file = join(folder, 'rules.yaml');
    const recorded = queries.map((expr, index) => ({ record: `query_${index}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    expect(run('promtool', ['check', 'rules', file])).toContain(`SUCCESS: ${queries.length} rules found`);
    rmSync(folder, { recursive: true });
  });
});
