import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { problemsOf, type Manifest, type Pod } from './kubernetes-schema.js';
import { has, run } from '../../support/programs.js';

const CHART = 'deploy/helm';
const NODES = {
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['mail'] }] }],
};
const EVERYTHING = {
  existingSecret: 'secrets',
  image: { digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  settings: { BASE_URL: 'https://mail.example.com', RATE_LIMIT: 1_000_000, MIGRATE_ON_START: true },
  extraVolumes: [{ name: 'ca', configMap: { name: 'database-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/database', readOnly: true }],
  extraEnv: [{ name: 'LOG_LEVEL', value: 'warn' }],
  extraEnvFrom: [{ configMapRef: { name: 'more' } }],
  autoscaling: { enabled: true },
  migrations: { job: true },
  metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  ingress: {
    className: 'nginx',
    internal: { enabled: true, tlsSecret: 'internal-tls', annotations: { a: 'b' } },
    public: { enabled: true },
  },
  networkPolicy: { from: [{ namespaceSelector: {} }], metricsFrom: [{ podSelector: {} }] },
  podAnnotations: { a: 'b' },
  podLabels: { a: 'b' },
  nodeSelector: { pool: 'mail' },
  tolerations: [{ key: 'mail', operator: 'Exists' }],
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: NODES }, podAntiAffinity: {} },
  priorityClassName: 'high',
};

const GO_PATH = '/usr/share/gocode';
const hasGo = has(
  'sh',
  [
    '-c',
    `go version && test -d ${GO_PATH}/src/github.com/Masterminds/sprig -a -d ${GO_PATH}/src/sigs.k8s.io/yaml`,
  ],
  'golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev',
);
const hasKubectl = has('kubectl', ['version', '--client'], 'kubernetes-client');

describe('a manifest', () => {
  const service = (port: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'service' },
    spec: { ports: [port] },
  });

  it.each([
    [{ port: 80 }, []],
    [{ port: 80, targetport: 80 }, [expect.stringContaining('targetport')]],
    [{ port: 'http' }, [expect.stringContaining("'string' is not assignable to type 'number'")]],
  ])('is compared with the schema of Kubernetes: a port of %j', (port, problems) => {
    expect(problemsOf([service(port)] as unknown as Manifest[])).toEqual(problems);
  });
});

describe('the values of the chart', () => {
  const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  const isValid = new Ajv({ allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')),
  );

  it('match their schema', () => {
    expect([isValid(values), isValid.errors]).toEqual([true, null]);
    expect([isValid(EVERYTHING), isValid.errors]).toEqual([true, null]);
  });

  it.each([
    ['an unknown value', { replicas: 3 }],
    ['a setting that belongs into the secret', { settings: { DATABASE_URL: 'postgresql://…' } }],
    ['a replica, whose URL has a password', { settings: { DATABASE_REPLICA_URL: 'postgresql://…' } }],
    ['another secret among the settings', { settings: { OIDC_CLIENT_SECRET: '…' } }],
    ['a port that does not exist', { service: { port: 70_000 } }],
    ['a short digest', { image: { digest: 'sha256:0' } }],
  ])('are refused with %s', (_what, wrong) => {
    expect(isValid(wrong)).toBe(false);
  });
});

(hasGo ? describe : describe.skip)('the chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'suppression-list-chart-'));
  const program = join(folder, 'helm-template');
  const render = (values: object, release = 'release') =>
    parseManifests(run(program, [release, CHART], JSON.stringify(values)));

  beforeAll(() => {
    const go = { GO111MODULE: 'off', GOPATH: GO_PATH, GOCACHE: join(folder, 'cache') };
    run('go', ['build', '-o', program, 'test/system/deploy/helm-template/main.go'], '', go);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('needs the name of an existing Secret', () => {
    expect(() => render({})).toThrow(/existingSecret must name a Secret/);
  });

  it('renders valid manifests with default values', () => {
    const manifests = render({ existingSecret: 'secrets' });
    expect(problemsOf(manifests)).toEqual([]);
    expectHardened(manifests);
    expectDrainable(manifests);
    expect(kindsOf(manifests)).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceAccount',
    ]);
  });

  it('renders valid manifests with every feature on', () => {
    const manifests = render(EVERYTHING);
    expect(problemsOf(manifests)).toEqual([]);
    expectHardened(manifests);
    expect(kindsOf(manifests)).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
    expect(containerOf(manifests, 'Deployment').image).toBe(
      `suppression-list-service@${EVERYTHING.image.digest}`,
    );
  });

  it('sets each variable once, and large numbers as digits', () => {
    const manifests = render(EVERYTHING);
    const { env } = containerOf(manifests, 'Deployment');
    const names = env.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(env).toContainEqual({ name: 'RATE_LIMIT', value: '1000000' });
    expect(env).toContainEqual({ name: 'MIGRATE_ON_START', value: 'false' });
    expect(containerOf(manifests, 'Job').env).toEqual(env);
  });

  it('mounts volumes for the service and for the migrations', () => {
    const manifests = render(EVERYTHING);
    for (const kind of ['Deployment', 'Job']) {
      expect(podOf(manifests, kind).volumes).toEqual(EVERYTHING.extraVolumes);
      expect(containerOf(manifests, kind).volumeMounts).toEqual(EVERYTHING.extraVolumeMounts);
    }
  });

  it('gives the pods of the service and of the migrations the annotations and labels', () => {
    const pods = render(EVERYTHING).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    expect(pods.map(({ spec }) => spec.template.metadata)).toEqual([
      { annotations: { a: 'b' }, labels: expect.objectContaining({ a: 'b' }) },
      { annotations: { a: 'b' }, labels: expect.objectContaining({ a: 'b' }) },
    ]);
  });

  it('runs migrations on the nodes of the service, but not apart from its pods, which could leave no node', () => {
    const manifests = render(EVERYTHING);
    const { nodeAffinity } = EVERYTHING.affinity;
    const { nodeSelector, tolerations } = EVERYTHING;
    expect(podOf(manifests, 'Deployment')).toMatchObject({
      affinity: EVERYTHING.affinity,
      nodeSelector,
      tolerations,
    });
    expect(podOf(manifests, 'Job')).toMatchObject({ nodeSelector, tolerations });
    expect(podOf(manifests, 'Job').affinity).toEqual({ nodeAffinity });
  });

  it('needs no Secret if a mounted file has the URL of the database', () => {
    const manifests = render({ settings: { DATABASE_URL_FILE: '/etc/database/url' } });
    expect(problemsOf(manifests)).toEqual([]);
    expect(containerOf(manifests, 'Deployment').envFrom ?? []).toEqual([]);
  });

  it('does not publish the metrics through a load balancer', () => {
    const manifests = render({ existingSecret: 'secrets', service: { type: 'LoadBalancer' } });
    const services = manifests.filter(({ kind }) => kind === 'Service');
    const portsOf = ({ spec }: Manifest) => spec.ports.map(({ name }) => name);
    expect(services.map((service) => [service.spec.type, portsOf(service)])).toEqual([
      ['LoadBalancer', ['http']],
      [undefined, ['metrics']],
    ]);
  });

  it('gives Pods and Jobs names that fit into a label, whatever the name of the release', () => {
    const manifests = render(EVERYTHING, 'r'.repeat(53));
    const names = manifests.filter(({ kind }) => kind !== 'Ingress').map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.length > 63)).toEqual([]);
  });

  it('routes the same paths of the same hosts by the Gateway API', () => {
    const [internal, external] = [{ name: 'internal', namespace: 'gateways' }, { name: 'external' }];
    const httpRoute = { internal: { parentRefs: [internal] }, public: { parentRefs: [external] } };
    const routes = render({ ...EVERYTHING, httpRoute }).filter(({ kind }) => kind === 'HTTPRoute');
    const routeOf = (parent: object, hostname: string, paths: string[]) => ({
      parentRefs: [parent],
      hostnames: [hostname],
      rules: [
        {
          matches: paths.map((value) => ({ path: { type: 'PathPrefix', value } })),
          timeouts: { request: '0s' },
          backendRefs: [{ name: 'release-suppression-list-service', port: 80 }],
        },
      ],
    });
    expect(routes.map(({ spec }) => spec)).toEqual([
      routeOf(internal, 'suppressions.internal.example.com', ['/']),
      routeOf(external, 'mail.example.com', ['/u/', '/inbound/']),
    ]);
  });

  it('opens only the paths of recipients and providers on the public host', () => {
    expect(publicPathsOf(render(EVERYTHING))).toEqual(['/u/', '/inbound/']);
  });
});

(hasKubectl ? describe : describe.skip)('the manifests for kustomize', () => {
  const manifests = () => parseManifests(run('kubectl', ['kustomize', 'deploy/kubernetes/monitoring']));

  it('are valid and hardened', () => {
    expect(problemsOf(manifests())).toEqual([]);
    expectHardened(manifests());
    expectDrainable(manifests());
  });

  it('open only the paths of recipients and providers on the public host', () => {
    expect(publicPathsOf(manifests())).toEqual(['/u/', '/inbound/']);
  });

  it('set only settings that the service knows', () => {
    const { data } = manifests().find(({ kind }) => kind === 'ConfigMap')!;
    expect(Object.keys(data).filter((name) => !isSetting(name))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'));

  it('sets only settings that the service knows', () => {
    expect(Object.keys(services.service.environment).filter((name) => !isSetting(name))).toEqual([]);
  });

  it('checks the health of the service by a command, whose parts must be strings', () => {
    const command = ['CMD', 'node', '-e', expect.stringMatching(/\/readyz.*process\.exit\(1\)/)];
    expect(services.service.healthcheck.test).toEqual(command);
  });

  it('runs the service read-only and without capabilities', () => {
    expect(services.service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });
});

describe('deploy/citus/compose.yaml', () => {
  const { services } = parse(readFileSync('deploy/citus/compose.yaml', 'utf8'), { merge: true });

  it('sets only settings that the service knows', () => {
    expect(Object.keys(services.spread.environment).filter((name) => !isSetting(name))).toEqual([]);
    expect(services.service.environment).toEqual(services.spread.environment);
  });

  it('gives each node the settings that docs/scale-out.md requires', () => {
    const [, requirements] = /^## Requirements$([^]*?)^## /m.exec(readFileSync('docs/scale-out.md', 'utf8'))!;
    const required = [...requirements!.matchAll(/^ {4}([\w.]+) = '?(.+?)'?$/gm)];
    expect(required.length).toBeGreaterThan(4);
    for (const node of [services.coordinator, services.worker1, services.worker2]) {
      expect(node.command).toEqual(
        expect.arrayContaining(required.map(([, name, value]) => `--${name}=${value}`)),
      );
    }
  });
});

function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
}

function kindsOf(manifests: Manifest[]): string[] {
  return manifests.map(({ kind }) => kind).sort();
}

function podOf(manifests: Manifest[], kind: string): Pod {
  return manifests.find((manifest) => manifest.kind === kind)!.spec.template.spec;
}

function containerOf(manifests: Manifest[], kind: string): Pod['containers'][number] {
  return podOf(manifests, kind).containers[0]!;
}

function publicPathsOf(manifests: Manifest[]): string[] {
  const ingress = manifests.find(
    ({ kind, metadata }) => kind === 'Ingress' && metadata.name.endsWith('-public'),
  )!;
  return ingress.spec.rules[0]!.http.paths.map(({ path }) => path);
}

/** What the Pod Security Standard `restricted` asks for, and a read-only file system. */
function expectHardened(manifests: Manifest[]): void {
  const pods = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  for (const { spec } of pods) {
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { securityContext } of spec.template.spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  }
}

/** Nodes can be drained, pod by pod, also while no pod is ready because the database is away. */
function expectDrainable(manifests: Manifest[]): void {
  expect(manifests.find(({ kind }) => kind === 'PodDisruptionBudget')!.spec).toMatchObject({
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  });
}

function isSetting(name: string): boolean {
  return new RegExp(`\\n {2}${name}\\??:`).test(readFileSync('src/config/env.ts', 'utf8'));
}
