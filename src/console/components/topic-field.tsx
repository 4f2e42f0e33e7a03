import type { JSX } from 'preact';
import type { Page } from '../../http/page.js';
import type { Topic } from '../../topics/topic.entity.js';
import { Input, Select } from './form.js';

interface TopicFieldProps {
  name: string;
  label: string;
  /** The newest topics. If there are more, the person enters a key. */
  topics: Page<Topic>;
  /** The key of a topic. */
  value: string;
  /** What it means to choose no topic. Without it, a topic is required. */
  none?: string;
}

export function TopicField({ topics, none, ...field }: TopicFieldProps): JSX.Element {
  if (topics.hasMore) {
    const hint = `The key of a topic${none ? `. Leave it empty for: ${none}` : ''}.`;
    return <Input {...field} hint={hint} required={none === undefined} />;
  }
  return (
    <Select
      {...field}
      choices={[
        ...(none === undefined ? [] : [{ value: '', label: none }]),
        ...topics.elements.map(({ key, name }) => ({ value: key, label: name })),
      ]}
    />
  );
}
