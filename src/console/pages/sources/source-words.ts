import { MAX_UNIT_NAME_LENGTH, UNIT_KINDS, type UnitKind } from '../../../inbound/parsing/delivery-event.js';
import { providerNamed, type ProviderName } from '../../../inbound/providers/providers.js';
import type { SourceOption } from '../../../inbound/providers/provider.js';
import { InvalidSourceError } from '../../../inbound/sources/errors.js';
import type { NewSource } from '../../../inbound/sources/new-source.js';
import type { TopicMapping } from '../../../inbound/sources/source-topics.service.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { Invalid } from '../../../validation/parsers.js';
import { pick, textOf, type Fields } from '../../components/form.js';

export const PROVIDER_LABELS: Record<ProviderName, string> = {
  resend: 'Resend',
  ses: 'Amazon SES',
  sendgrid: 'SendGrid',
  postmark: 'Postmark',
  mailgun: 'Mailgun',
  sparkpost: 'SparkPost',
  brevo: 'Brevo',
  mailjet: 'Mailjet',
  mail: 'Your own mail server',
};

export function providerLabel(name: string): string {
  return PROVIDER_LABELS[name as ProviderName] ?? 'Your own mailers';
}

/** `verification key` */
export function secretLabel(name: string): string {
  return name.replaceAll('_', ' ');
}

/** What providers call the kinds of mail that a recipient can leave, and what names one. */
export const UNITS: Record<UnitKind, { name: string; hint: string }> = {
  group: { name: 'Group', hint: 'the number of an unsubscribe group' },
  stream: { name: 'Stream', hint: 'the id of a message stream' },
  tag: { name: 'Tag', hint: 'the name of a tag' },
  list: { name: 'List', hint: 'the name or number of a list' },
  topic: { name: 'Topic', hint: 'the name of a topic' },
};

/**
 * The mapping that a form asks for.
 *
 * @throws {ValidationError}
 */
export function mappingIn(form: Fields): TopicMapping {
  const { kind, name, topic: topicKey } = pick(form, ['kind', 'name', 'topic']);
  const known = UNIT_KINDS.find((unit) => unit === kind);
  if (!known || !name || name.length > MAX_UNIT_NAME_LENGTH || !topicKey) {
    throw ValidationError.ofRequest(
      `Enter a name of up to ${MAX_UNIT_NAME_LENGTH} characters, and choose a topic.`,
    );
  }
  return { unit: { kind: known, name }, topicKey };
}

/**
 * The source that a form asks for.
 *
 * @throws {InvalidSourceError}
 */
export function sourceIn(form: Fields, provider: ProviderName): NewSource {
  const options = (providerNamed(provider)!.options as readonly SourceOption[]).flatMap((option) => {
    const values = textOf(form, `option_${option.name}`)
      .split('\n')
      .map((value) => value.trim())
      .filter(Boolean)
      .map((value) => parsed(option, value));
    return values.length > 0 ? [[option.name, option.isList ? values : values[0]]] : [];
  });
  return {
    name: textOf(form, 'name') || PROVIDER_LABELS[provider],
    secrets: {},
    options: { ...Object.fromEntries(options), ...softLimitIn(form) },
  };
}

function parsed(option: SourceOption, text: string): unknown {
  const value = option.parse(text);
  if (value instanceof Invalid) {
    throw new InvalidSourceError(`"${option.description}" ${value.problem}.`);
  }
  return value;
}

function softLimitIn(form: Fields): Pick<NewSource['options'], 'softLimit'> {
  const { failures, days } = pick(form, ['failures', 'days']);
  if (failures === '' && days === '') {
    return {};
  }
  if (![failures, days].every((number) => /^[1-9]\d{0,2}$/.test(number))) {
    throw new InvalidSourceError('The soft limit needs a number of failures and a number of days.');
  }
  return { softLimit: { failures: Number(failures), days: Number(days) } };
}
