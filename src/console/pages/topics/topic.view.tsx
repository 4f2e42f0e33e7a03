import type { Topic } from '../../../topics/topic.entity.js';
import { Card } from '../../components/card.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Facts } from '../../components/facts.js';
import { CardForm } from '../../components/form.js';
import { Input, Select } from '../../components/inputs.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { DEFAULTS, VISIBILITIES } from './topics.view.js';

export function TopicPage({ visitor, topic }: PageProps & { topic: Topic }) {
  const { name, description, visibility } = topic;
  const path = `/console/topics/${topic.id}`;
  return (
    <ConsolePage visitor={visitor} title={name} section="/console/topics">
      <Card>
        <Facts
          facts={{
            Id: <dd class="mono">{topic.id}</dd>,
            Key: <dd class="mono">{topic.key}</dd>,
            Description: description ?? '–',
            'Who gets it': DEFAULTS[topic.defaultSubscription],
            'Who sees it': VISIBILITIES[visibility],
            Created: <Timestamp at={topic.createdAt} />,
          }}
        />
      </Card>
      {canEdit(visitor) && (
        <>
          <CardForm
            title="Change"
            action={path}
            submit="Save"
            values={{ name, description: description ?? '', visibility }}
          >
            <Input name="name" label="Name" maxLength={50} required />
            <Input name="description" label="Description" maxLength={200} />
            <Select name="visibility" label="Who sees it" choices={VISIBILITIES} />
          </CardForm>
          <Card title="Archive">
            <p>
              An archived topic can no longer be mailed. The choices of recipients and the key are kept, so no
              other topic can have this key.
            </p>
            <ConfirmButton action={`${path}/archive`} label="Archive" confirm={`Archive ${name}`}>
              Until you restore it, checks and new unsubscribe links for {name} are refused; links in emails
              that were sent before keep working.
            </ConfirmButton>
          </Card>
        </>
      )}
    </ConsolePage>
  );
}
