import type { JSX } from 'preact';
import { sourceName } from '../../../audit/actor.js';
import type { Page } from '../../../http/page.js';
import type { ListedEvent } from '../../../inbound/events.service.js';
import type { Provider, Secret } from '../../../inbound/providers/provider.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { keptFields, textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Hidden, Input } from '../../components/form.js';
import type { PageCursor } from '../../components/pager.js';
import { PostButton } from '../../components/post-button.js';
import { capitalized, listOf } from '../../components/words.js';
import { canEdit, includesRole } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import { liftFormUrl } from '../lifts/lift-link.js';
import { SourceTopics, type ShownTopics } from './source-topics.view.js';
import { providerLabel, secretLabel } from './source-words.js';
import { Events } from './source-events.view.js';
import { Facts } from './source-facts.view.js';

export interface ShownSource {
  source: Source;
  url: string;
  /** Null for the source of posted events. */
  provider: Provider | null;
  /** The secrets that the provider makes and the source does not know yet. */
  awaited: Secret[];
  /** Undefined if the provider does not say what a recipient left. */
  topics: ShownTopics | undefined;
  events: Page<ListedEvent>;
}

interface SourcePageProps extends PageProps {
  shown: ShownSource;
  /** Which page of the events is shown. */
  cursor: PageCursor;
  /** What to map to a topic. */
  entered: Fields | undefined;
  /** The secrets that the service has just generated. */
  made?: Record<string, string>;
}

export function SourcePage(props: SourcePageProps): JSX.Element {
  const { shown, cursor, entered, made = {}, ...shared } = props;
  const { source, url, provider, awaited, topics, events } = shown;
  const { visitor } = shared;
  const path = `/console/sources/${source.id}`;
  return (
    <ConsolePage
      {...shared}
      title={sourceName(source.name)}
      section="/console/sources"
      actions={
        <>
          {canEdit(visitor) && provider && (
            <PostButton
              action={`${path}/${source.pausedAt ? 'resume' : 'pause'}`}
              label={source.pausedAt ? 'Resume' : 'Pause'}
            />
          )}
          {canEdit(visitor) && (
            <a class="button" href={liftFormUrl({ cause: 'bounce', actor: source.id })}>
              Undo bounces
            </a>
          )}
          {includesRole(visitor.role, 'admin') && (
            <a class="button danger" href={`${path}/delete`}>
              Delete
            </a>
          )}
        </>
      }
    >
      {provider && Object.keys(made).length > 0 && (
        <section class="card">
          <h2>Secrets for {providerLabel(source.provider)}</h2>
          <dl class="facts">
            {Object.entries(made).map(([name, secret]) => (
              <>
                <dt key={name}>{name}</dt>
                <dd class="copy">{secret}</dd>
              </>
            ))}
          </dl>
          <p class="muted">Copy them now. They are not shown again.</p>
        </section>
      )}
      {awaited.length > 0 && (
        <div class="notice warn">
          <p>
            This source rejects all deliveries until an admin saves its{' '}
            {listOf(awaited.map(({ name }) => secretLabel(name)))} below.
          </p>
        </div>
      )}
      <section class="card">
        <h2>Set up</h2>
        {canEdit(visitor) && <p class="copy">{url}</p>}
        {provider && (
          <ol class="steps">
            {provider.setup.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        )}
        {includesRole(visitor.role, 'admin') &&
          provider?.secrets
            .filter(({ generatedBy }) => generatedBy === 'provider')
            .map((secret) => <SecretForm key={secret.name} secret={secret} path={path} visitor={visitor} />)}
      </section>
      <Facts source={source} />
      {provider && topics && (
        <SourceTopics
          {...topics}
          path={path}
          provider={provider}
          isEditor={canEdit(visitor)}
          entered={entered}
        />
      )}
      <Events events={events} cursor={cursor} path={path} />
    </ConsolePage>
  );
}

interface SecretFormProps {
  secret: Secret;
  path: string;
  visitor: Visitor;
}

function SecretForm({ secret, path, visitor }: SecretFormProps): JSX.Element {
  const action = `${path}/secret`;
  const kept = keptFields(visitor, action);
  return (
    <form class="form" method="post" action={action}>
      <Hidden values={{ name: secret.name }} />
      <Input
        id={`secret-${secret.name}`}
        name="value"
        label={capitalized(secretLabel(secret.name))}
        hint={secret.description}
        type="password"
        value={textOf(kept, 'name') === secret.name ? textOf(kept, 'value') : ''}
        required
      />
      <button type="submit">Save the secret</button>
    </form>
  );
}
