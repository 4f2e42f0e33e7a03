import type { OpenAPIObject } from '@nestjs/swagger';

/** The names of the enums that several fields share. Each value is the field whose description explains the enum. */
const ENUMS = {
  Cause: 'Match.cause',
  ComplaintReach: 'Account.complaint_reach',
  DeliveryEventKind: 'Event.kind',
  DeliveryEventOutcome: 'Event.outcome',
  ImportFormat: 'Import.format',
  IncidentDecision: 'DecideIncidentRequest.decision',
  IncidentGuard: 'Account.incident_guard',
  LiftedCause: 'LiftLine.cause',
  LiftLineStatus: 'LiftLine.status',
  ListProvider: 'ProviderList.provider',
  Origin: 'Suppression.origin',
  ProviderListLineKind: 'ProviderListLine.kind',
  ProviderListPushStatus: 'ProviderListPush.status',
  RemovalPolicy: 'Account.removal',
  RuleEffect: 'Rule.effect',
  TopicSubscription: 'ContactTopic.subscription',
  TopicVisibility: 'Topic.visibility',
  WebhookDeliveryStatus: 'WebhookDelivery.status',
  WebhookDisabledReason: 'Webhook.disabled_reason',
  WebhookEventType: 'WebhookEvent.type',
  WebhookStatus: 'Webhook.status',
};

interface Field {
  type?: unknown;
  enum?: (string | null)[];
  description?: string;
}

type Objects = Record<string, { properties: Record<string, Field> }>;

/** Moves the enums that several fields share into `components`, so that generated clients have one type for each. */
export function nameEnums(document: OpenAPIObject): OpenAPIObject {
  const objects = document.components!.schemas as Objects;
  const names = new Map<string, string>();
  const schemas: Record<string, Field> = {};
  for (const [name, path] of Object.entries(ENUMS)) {
    const [object, field] = path.split('.') as [string, string];
    const { enum: values, description } = objects[object]!.properties[field]!;
    const texts = values!.filter((value) => value !== null);
    names.set(texts.join(), name);
    schemas[name] = { type: 'string', enum: texts, description: description! };
  }
  const json = JSON.stringify(document, (_key, node: Field | null) => {
    const name = names.get(node?.enum?.filter((value) => value !== null).join() ?? '');
    if (!name) {
      return node;
    }
    const { type: _type, enum: values, ...rest } = node!;
    const reference = { $ref: `#/components/schemas/${name}` };
    return values!.includes(null)
      ? { ...rest, anyOf: [reference, { type: 'null' }] }
      : { ...rest, ...reference };
  });
  const named = JSON.parse(json) as OpenAPIObject;
  Object.assign(named.components!.schemas!, schemas);
  return named;
}
