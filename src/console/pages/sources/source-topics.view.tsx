import { ValidationError } from '../../../http/errors/errors.js';
import type { Page } from '../../../http/page.js';
import { MAX_UNIT_NAME_LENGTH, UNIT_KINDS, type UnitKind } from '../../../inbound/parsing/delivery-event.js';
import type { Provider } from '../../../inbound/providers/provider.js';
import type { MappedUnit, TopicMapping } from '../../../inbound/sources/source-topics.service.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { STORABLE } from '../../../validation/parsers.js';
import { Badge, Card, TopicLink } from '../../components/content.js';
import { Form, pick, type Fields } from '../../components/form.js';
import { Input, Select, TopicField } from '../../components/inputs.js';
import { Table, urlOf } from '../../components/list.js';
import { providerLabel } from '../../components/words.js';

/** What providers call the kinds of mail that a recipient can leave, and what names one. */
const UNITS: Record<UnitKind, { name: string; hint: string }> = {
  group: { name: 'Group', hint: 'the number of an unsubscribe group' },
  stream: { name: 'Stream', hint: 'the id of a message stream' },
  tag: { name: 'Tag', hint: 'the name of a tag' },
  list: { name: 'List', hint: 'the name or number of a list' },
  topic: { name: 'Topic', hint: 'the name of a topic' },
};

/** The kinds of mail at a provider, with their topics. */
export interface MappedTopics {
  /** Kinds of mail that nobody has mapped come first. */
  units: Page<MappedUnit>;
  /** The topics that a kind of mail can be mapped to, without automatic ones. */
  choices: Page<Topic>;
}

interface SourceTopicsProps extends MappedTopics {
  /** The path of the source's page, and its query, which may name what to map. */
  path: string;
  query: Fields;
  provider: Provider;
  isEditor: boolean;
}

export function SourceTopics(props: SourceTopicsProps) {
  const { path, provider, units, isEditor } = props;
  const label = providerLabel(provider.name);
  const kinds = provider.units!.map((kind) => UNITS[kind].name.toLowerCase()).join(' or ');
  const nameOf = ({ unit: { kind, name } }: MappedUnit) => `${UNITS[kind].name} ${name}`;
  return (
    <Card title="Topics" id="topics">
      <p class="muted">
        Map a {kinds} at {label} to one of your topics: an unsubscribe from it then opts the recipient out of
        your topic, and stops no other email.
      </p>
      <Table
        caption="Topics"
        rows={units.elements}
        columns={{
          [`At ${label}`]: nameOf,
          Topic: ({ topic }) => <TopicLink topic={topic} />,
          Mapped: ({ isMapped }) =>
            isMapped ? 'By a person' : <Badge tone="warn" text="Not yet: the topic was made automatically" />,
          Change:
            isEditor &&
            ((mapped) => (
              <a href={`${urlOf(path, { ...mapped.unit })}#topics`} aria-label={`Map ${nameOf(mapped)}`}>
                Map
              </a>
            )),
        }}
        empty="No mappings yet."
      />
      {units.hasMore && (
        <p class="muted">
          These are the first {units.elements.length}. The command line lists all, with: source show.
        </p>
      )}
      {isEditor && <MapForm {...props} />}
    </Card>
  );
}

function MapForm({ path, provider, choices, query }: SourceTopicsProps) {
  const kinds = provider.units!;
  if (choices.elements.length === 0 && !choices.hasMore) {
    return (
      <p>
        <a href="/console/topics">Create a topic</a> to map anything to it.
      </p>
    );
  }
  return (
    <Form
      action={`${path}/map`}
      submit="Map"
      tone="plain"
      values={query}
      hidden={kinds.length === 1 ? { kind: kinds[0] } : {}}
    >
      {kinds.length > 1 && (
        <Select
          name="kind"
          label="Kind"
          choices={Object.fromEntries(kinds.map((kind) => [kind, UNITS[kind].name]))}
        />
      )}
      <Input
        name="name"
        label={`Name at ${providerLabel(provider.name)}`}
        hint={`As in its events: ${kinds.map((kind) => UNITS[kind].hint).join('; ')}.`}
        maxLength={MAX_UNIT_NAME_LENGTH}
        required
      />
      <TopicField name="topic" label="Topic" topics={choices} />
      <p class="hint">
        If this kind of mail has an automatic topic, the opt-outs of that topic move to the topic that you
        choose, except for recipients who have joined your topic since, and the automatic topic is archived.
        If it was already mapped, earlier opt-outs do not move.
      </p>
    </Form>
  );
}

/**
 * The mapping that a form asks for.
 *
 * @throws {ValidationError}
 */
export function mappingIn(form: Fields): TopicMapping {
  const { kind, name, topic: topicKey } = pick(form, ['kind', 'name', 'topic']);
  const known = UNIT_KINDS.find((unit) => unit === kind);
  const isStorable = STORABLE.test(name + topicKey);
  if (!known || !name || name.length > MAX_UNIT_NAME_LENGTH || !topicKey || !isStorable) {
    throw ValidationError.ofRequest(
      `Enter a name of up to ${MAX_UNIT_NAME_LENGTH} characters, and choose a topic.`,
    );
  }
  return { unit: { kind: known, name }, topicKey };
}
