import { sourceName } from '../../../audit/actor.js';
import type { StoredEvent } from '../../../inbound/inbox/stored-event.entity.js';
import type { Provider } from '../../../inbound/providers/provider.js';
import { awaitedSecrets } from '../../../inbound/sources/new-source.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { happenedAt } from '../../../ledger/happened-at.js';
import { Badge, Card, Facts, Notice, Timestamp, TwoTimestamps } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form, PostButton, type Fields } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { type List, ListCard, urlOf } from '../../components/list.js';
import {
  capitalized,
  countOf,
  KIND_NAMES,
  providerLabel,
  listOf,
  OUTCOME_NAMES,
} from '../../components/words.js';
import { liftFormUrl } from '../lifts/lift-form.view.js';
import { SourceTopics, type MappedTopics } from './source-topics.view.js';

interface SourcePageProps extends PageProps {
  source: Source;
  url: string;
  /** Null for the source of posted events. */
  provider: Provider | null;
  /** Undefined if the provider does not report which kind of mail a recipient left. */
  topics: MappedTopics | undefined;
  events: List<StoredEvent>;
  /** The secrets that the service has just generated. */
  generatedSecrets: Record<string, string>;
  /** May name the kind of mail to map to a topic. */
  query: Fields;
}

export function SourcePage(page: SourcePageProps) {
  const { visitor, source, url, provider, topics, events, generatedSecrets, query } = page;
  const path = `/console/sources/${source.id}`;
  const isEditor = visitor.isEditor;
  const isAdmin = visitor.isAdmin;
  const awaited = provider ? awaitedSecrets(provider, source.secrets) : [];
  return (
    <ConsolePage
      visitor={visitor}
      title={sourceName(source.name)}
      section="/console/sources"
      actions={
        <>
          {isEditor && provider && (
            <PostButton
              action={`${path}/${source.pausedAt ? 'resume' : 'pause'}`}
              label={source.pausedAt ? 'Resume' : 'Pause'}
            />
          )}
          {visitor.isEditor && (
            <a class="button" href={liftFormUrl({ cause: 'bounce', actor: source.id })}>
              Undo bounces
            </a>
          )}
          {isAdmin && (
            <a class="button danger" href={`${path}/delete`}>
              Delete
            </a>
          )}
        </>
      }
    >
      {provider && Object.keys(generatedSecrets).length > 0 && (
        <GeneratedSecrets provider={provider} secrets={generatedSecrets} />
      )}
      {awaited.length > 0 && (
        <Notice tone="warn">
          This source rejects all deliveries until an admin saves its{' '}
          {listOf(awaited.map(({ name }) => secretLabel(name)))} below.
        </Notice>
      )}
      <SetUp path={path} url={isEditor ? url : null} provider={provider} isAdmin={isAdmin} />
      <State source={source} />
      {provider && topics && (
        <SourceTopics {...topics} path={path} query={query} provider={provider} isEditor={isEditor} />
      )}
      <ListCard
        title="Events"
        caption="Events, newest first"
        path={path}
        list={events}
        columns={{
          Address: ({ recipient }) =>
            recipient ? <a href={urlOf('/console', { q: recipient })}>{recipient}</a> : '–',
          Event: ({ kind }) => KIND_NAMES[kind],
          Why: ({ reason }) => reason,
          Outcome: ({ outcome }) => OUTCOME_NAMES[outcome],
          Received: ({ occurredAt, receivedAt }) => (
            <TwoTimestamps
              isCell
              at={receivedAt}
              other={happenedAt(occurredAt, receivedAt)}
              verb="happened"
            />
          ),
        }}
        empty="No events yet."
      />
    </ConsolePage>
  );
}

interface GeneratedSecretsProps {
  provider: Provider;
  secrets: Record<string, string>;
}

function GeneratedSecrets({ provider, secrets }: GeneratedSecretsProps) {
  const copies = Object.entries(secrets).map(([name, secret]) => [name, <dd class="copy">{secret}</dd>]);
  return (
    <Card title={`Secrets for ${providerLabel(provider.name)}`}>
      <Facts facts={Object.fromEntries(copies)} />
      <p class="muted">Copy them now. They are not shown again.</p>
    </Card>
  );
}

function State({ source }: { source: Source }) {
  const { softLimit } = source.options;
  return (
    <Card title="State">
      <Facts
        facts={{
          Status: <SourceStatus source={source} />,
          Provider: providerLabel(source.provider),
          Id: <dd class="mono">{source.id}</dd>,
          Created: <Timestamp at={source.createdAt} />,
          'Soft limit':
            softLimit &&
            `${countOf(softLimit.failures, 'failure', 'failures')} within ${countOf(softLimit.days, 'day', 'days')}`,
          'Refused deliveries': <dd class="number">{source.badSignatures}</dd>,
          'Last error': source.lastError && (
            <>
              {source.lastError} (<Timestamp at={source.lastErrorAt} />)
            </>
          ),
        }}
      />
    </Card>
  );
}

interface SetUpProps {
  /** The path of the source's page. */
  path: string;
  /** The URL that receives events; null if the person may not see it. */
  url: string | null;
  /** Null for the source of posted events. */
  provider: Provider | null;
  isAdmin: boolean;
}

/** How to set up the provider of a source. */
function SetUp({ path, url, provider, isAdmin }: SetUpProps) {
  const secrets = provider?.secrets.filter(({ generatedBy }) => generatedBy === 'provider') ?? [];
  return (
    <Card title="Set up">
      {url && <p class="copy">{url}</p>}
      {provider && (
        <ol class="steps">
          {provider.setup.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {isAdmin &&
        secrets.map(({ name, description }) => (
          <Form key={name} action={`${path}/secret`} submit="Save the secret" tone="plain" hidden={{ name }}>
            <Input
              id={`secret-${name}`}
              name="value"
              label={capitalized(secretLabel(name))}
              hint={description}
              type="password"
              required
            />
          </Form>
        ))}
    </Card>
  );
}

export function SourceStatus({ source: { pausedAt, lastError } }: { source: Source }) {
  if (pausedAt) {
    return <Badge tone="warn" text="Paused" />;
  }
  return lastError ? <Badge tone="bad" text="Has errors" /> : <Badge tone="good" text="Active" />;
}

/** `verification key` */
function secretLabel(name: string): string {
  return name.replaceAll('_', ' ');
}
