import { randomUUID } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { CONSENT_KINDS } from '../../ledger/evidence.js';
import { UsageError } from '../../process/operator-error.js';
import type { Api } from '../client/api.js';
import type { CheckedEmailDto } from '../../suppressions/dto/checked.dto.js';
import { resultOf } from './result.js';

const MAX_EMAILS = 100;
const VALID_MS = 10 * 60_000;
/** The recipients' own decisions. */
const NEED_CONSENT: readonly Cause[] = ['complaint', 'unsubscribe'];

const changeSchema = z.object({
  action: z.enum(['add', 'remove']).describe('add: suppress the addresses; remove: allow mail to them again'),
  emails: z.array(z.string()).min(1).max(MAX_EMAILS).describe('Email addresses'),
  cause: z.enum(CAUSES).optional().describe('With remove: remove only this cause'),
  note: z.string().optional().describe('Why, for the history'),
  expires_at: z.string().optional().describe('With add: when the suppression expires, as ISO 8601'),
  consent: z
    .object({
      kind: z.enum(CONSENT_KINDS),
      reference: z.string().optional().describe('Where the consent is documented'),
    })
    .optional()
    .describe('With remove: evidence that the recipient wants mail again. Never make it up: ask the person.'),
});

type Change = z.infer<typeof changeSchema>;

interface AddressChange {
  email: string;
  causes: Cause[];
  change: 'added' | 'removed' | 'unchanged';
}

interface Preview {
  change: Change;
  addresses: AddressChange[];
  expiresAt: number;
}

/** Tools that change the list: a preview, and a call that applies exactly what the preview showed. */
export function addChangeTools(server: McpServer, api: Api): void {
  const previews = new Map<string, Preview>();
  server.registerTool(
    'preview_change',
    {
      title: 'Preview a change',
      description:
        'Shows what adding or removing up to 100 addresses would change, and changes nothing. ' +
        'Show the preview to the person, and apply it after they agreed.',
      inputSchema: changeSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (change) => resultOf(preview(change)),
  );
  server.registerTool(
    'apply_change',
    {
      title: 'Apply a change',
      description: 'Applies a previewed change, unless one of its addresses has changed since. Works once.',
      inputSchema: z.object({ preview_id: z.string() }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    ({ preview_id }) => resultOf(apply(preview_id)),
  );

  async function preview(change: Change): Promise<object> {
    const addresses = await compare(api, change);
    const expiresAt = Date.now() + VALID_MS;
    const preview_id = randomUUID();
    previews.set(preview_id, { change, addresses, expiresAt });
    return { preview_id, expires_at: new Date(expiresAt).toISOString(), addresses };
  }

  async function apply(id: string): Promise<object> {
    const previewed = previews.get(id);
    previews.delete(id);
    if (!previewed || previewed.expiresAt < Date.now()) {
      throw new UsageError(
        'There is no such preview, it was applied, or it has expired. Preview the change again.',
      );
    }
    const { change, addresses } = previewed;
    if (JSON.stringify(await compare(api, change)) !== JSON.stringify(addresses)) {
      throw new UsageError('An address has changed since the preview. Preview the change again.');
    }
    return change.action === 'add' ? add(api, change) : remove(api, change, addresses);
  }
}

async function add(api: Api, { emails, note, expires_at }: Change): Promise<object> {
  const { data } = await api.post<{ data: object[] }>('/suppressions/batch/add', {
    emails,
    note,
    expires_at,
  });
  return { suppressed: data.length };
}

/** Removes only the causes that the preview showed. Causes that the account may guard come first. */
async function remove(
  api: Api,
  { cause, note, consent }: Change,
  addresses: AddressChange[],
): Promise<object> {
  const removed = new Set<string>();
  for (const each of [...NEED_CONSENT, ...CAUSES.filter((one) => !NEED_CONSENT.includes(one))]) {
    const emails = addresses.filter(({ causes }) => causes.includes(each)).map(({ email }) => email);
    if (emails.length > 0 && (!cause || cause === each)) {
      await api.post('/suppressions/batch/remove', { emails, cause: each, note, consent });
      emails.forEach((email) => removed.add(email));
    }
  }
  return { removed: removed.size };
}

/** @throws {UsageError} if an address is invalid, or its removal needs consent */
async function compare(api: Api, change: Change): Promise<AddressChange[]> {
  const { emails, action, cause, consent } = change;
  const question = { explain: true };
  const { data } = await api.post<{ data: CheckedEmailDto[] }>('/suppressions/check', { emails }, question);
  const invalid = data.filter(({ verdict }) => verdict === 'invalid');
  if (invalid.length > 0) {
    throw new UsageError(`Not an email address: ${invalid.map(({ email }) => email).join(', ')}`);
  }
  const addresses = data.map(({ email, matches = [] }) => {
    const causes = matches.flatMap((match) => (match.type === 'suppression' ? [match.cause as Cause] : []));
    return { email, causes, change: changeOf(action, causes, cause) };
  });
  const undone = addresses.flatMap((address) =>
    address.change === 'removed' ? address.causes.filter((held) => !cause || held === cause) : [],
  );
  if (!consent && undone.some((held) => NEED_CONSENT.includes(held))) {
    throw new UsageError('Complaints and unsubscribes are removed only with the consent of the recipient.');
  }
  return addresses;
}

function changeOf(
  action: Change['action'],
  causes: Cause[],
  cause: Cause | undefined,
): AddressChange['change'] {
  if (action === 'add') {
    return causes.includes('manual') ? 'unchanged' : 'added';
  }
  return (cause ? causes.includes(cause) : causes.length > 0) ? 'removed' : 'unchanged';
}
