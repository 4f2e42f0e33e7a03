import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { MAX_UNIT_NAME_LENGTH } from '../../../inbound/parsing/topic-unit.js';
import type { Provider } from '../../../inbound/providers/provider.js';
import type { MappedUnit } from '../../../inbound/sources/source-topics.service.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { Hidden, Input, Select } from '../../components/form.js';
import { urlOf } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { TopicField } from '../../components/topic-field.js';
import { providerLabel, UNITS } from './source-words.js';

/** The kinds of mail at a provider, with their topics. */
export interface ShownTopics {
  /** Those that nobody has mapped come first. */
  units: Page<MappedUnit>;
  /** The topics that a kind of mail can be mapped to, without automatic ones. */
  choices: Page<Topic>;
}

interface SourceTopicsProps extends ShownTopics {
  /** Of the source's page. */
  path: string;
  provider: Provider;
  isEditor: boolean;
  entered: Fields | undefined;
}

export function SourceTopics(props: SourceTopicsProps): JSX.Element {
  const { path, provider, units, isEditor } = props;
  const label = providerLabel(provider.name);
  const kinds = provider.units!.map((kind) => UNITS[kind].name.toLowerCase()).join(' or ');
  return (
    <section class="card" id="topics">
      <h2>Topics</h2>
      <p class="muted">
        Map a {kinds} at {label} to one of your topics: an unsubscribe from it then opts the recipient out of
        your topic, and stops no other email.
      </p>
      <Table
        caption="Topics"
        columns={[`At ${label}`, 'Topic', 'Mapped', ...(isEditor ? ['Change'] : [])]}
        rows={units.elements.map(({ unit, topic, isMapped }) => ({
          key: `${unit.kind}:${unit.name}`,
          cells: [
            `${UNITS[unit.kind].name} ${unit.name}`,
            <TopicLink key="topic" topic={topic} />,
            isMapped ? (
              'By a person'
            ) : (
              <span key="mapped" class="badge warn">
                Not yet: the topic was made automatically
              </span>
            ),
            ...(isEditor
              ? [
                  <a
                    key="change"
                    href={`${urlOf(path, { ...unit })}#topics`}
                    aria-label={`Map ${UNITS[unit.kind].name} ${unit.name}`}
                  >
                    Map
                  </a>,
                ]
              : []),
          ],
        }))}
        empty="Nothing is mapped yet."
      />
      {units.hasMore && (
        <p class="muted">
          These are the first {units.elements.length}. The command line lists all, with: source show.
        </p>
      )}
      {isEditor && <MapForm {...props} />}
    </section>
  );
}

function TopicLink({ topic: { id, name, archivedAt } }: { topic: Topic }): JSX.Element {
  return archivedAt ? <>{name} (archived)</> : <a href={`/console/topics/${id}`}>{name}</a>;
}

function MapForm({ path, provider, choices, entered }: SourceTopicsProps): JSX.Element {
  const kinds = provider.units!;
  if (choices.elements.length === 0 && !choices.hasMore) {
    return (
      <p>
        <a href="/console/topics">Create a topic</a> to map anything to it.
      </p>
    );
  }
  return (
    <form class="form" method="post" action={`${path}/map`}>
      {kinds.length === 1 ? (
        <Hidden values={{ kind: kinds[0]! }} />
      ) : (
        <Select
          name="kind"
          label="Kind"
          value={textOf(entered, 'kind')}
          choices={kinds.map((kind) => ({ value: kind, label: UNITS[kind].name }))}
        />
      )}
      <Input
        name="name"
        label={`Name at ${providerLabel(provider.name)}`}
        hint={`As in its events: ${kinds.map((kind) => UNITS[kind].hint).join('; ')}.`}
        maxLength={MAX_UNIT_NAME_LENGTH}
        value={textOf(entered, 'name')}
        required
      />
      <TopicField name="topic" label="Topic" topics={choices} value={textOf(entered, 'topic')} />
      <p class="hint">
        If this kind of mail has an automatic topic, the opt-outs of that topic move to the topic that you
        choose, except for recipients who have joined your topic since, and the automatic topic is archived.
        If it was already mapped, earlier opt-outs do not move.
      </p>
      <button type="submit">Map</button>
    </form>
  );
}
