import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, MoreThan, Repository } from 'typeorm';
import type { AccountContext } from '../audit/request-context.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';
import { localPartOf, type EmailAddress } from '../email-address/email-address.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { idFromHex, LOWEST_ID } from '../validation/parsers.js';
import type { UnsubscribeKey } from './token.js';
import { UnsubscribeMailId } from './unsubscribe-link.entity.js';

const ID_HEX_DIGITS = 32;
const RADIX = 32;
/** 128 bits in digits of 5 bits each. */
const ID_DIGITS = 26;
const SEPARATOR = '+';
const MAX_LOCAL_PART_BYTES = 64;
const MAX_TRIED = 20;
const BATCH_SIZE = 1_000;

const LINKS = new RowSet(4, { id: 'uuid', email: 'text' });

const INSERT = new PreparedStatement<Record<string, never>>(
  'insert-unsubscribe-mail-ids',
  `INSERT INTO unsubscribe_mail_ids (account_id, topic_id, key_id, id, email)
  SELECT $1, $2, $3, id, email
  FROM ${LINKS.as('link')}
  GROUP BY id, email
  ORDER BY id
  ON CONFLICT (account_id, id) DO UPDATE SET key_id = excluded.key_id WHERE unsubscribe_mail_ids.key_id IS NULL`,
);

/** The addresses of `mailto:` links. Their letter case never matters, since mail servers do not keep it. */
@Injectable()
export class MailIdsRepository {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(UnsubscribeMailId) private readonly mailIds: Repository<UnsubscribeMailId>,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Returns the address that each recipient can write to in order to unsubscribe. The same recipient and topic get the same
   * address until the key is replaced.
   */
  async mint(
    context: AccountContext,
    key: UnsubscribeKey,
    { mailbox, topicId }: { mailbox: EmailAddress; topicId: string | null },
    emails: EmailAddress[],
  ): Promise<string[]> {
    const pseudonyms = await this.storedNames.forWriting(key.accountId, emails);
    const links = emails.map((email) => ({
      id: mailIdOf(key, email, topicId),
      email: pseudonyms.get(email) ?? email,
    }));
    await INSERT.write(this.dataSource, context, [key.accountId, topicId, key.id, ...LINKS.values(links)]);
    const at = mailbox.lastIndexOf('@');
    return links.map(({ id }) => mailbox.slice(0, at) + SEPARATOR + digitsOf(id) + mailbox.slice(at));
  }

  /** Finds the recipients by the addresses with a known id. The mailbox does not matter: the id is the credential. */
  async find(accountId: number, addresses: readonly string[]): Promise<UnsubscribeMailId[]> {
    const ids = new Set(addresses.map(idIn).filter((id) => id !== undefined));
    const tried = [...ids].slice(0, MAX_TRIED);
    return tried.length > 0 ? this.mailIds.findBy({ accountId, id: In(tried) }) : [];
  }

  /** @param readKey - only called for an address that version 0.2.0 stored without its key */
  async deleteByKey(
    { accountId, id: madeBy }: Pick<UnsubscribeKey, 'accountId' | 'id'>,
    readKey: () => UnsubscribeKey,
  ): Promise<void> {
    let last: string | undefined = LOWEST_ID;
    while (last !== undefined) {
      const read: UnsubscribeMailId[] = await this.mailIds.find({
        where: { accountId, id: MoreThan(last) },
        order: { id: 'ASC' },
        take: BATCH_SIZE,
      });
      const made = read.filter(({ id, email, topicId, keyId }) =>
        keyId === null ? mailIdOf(readKey(), email, topicId) === id : keyId === madeBy,
      );
      await this.mailIds.delete({ accountId, id: In(made.map(({ id }) => id)) });
      last = read.at(-1)?.id;
    }
  }
}

/** Whether the local part of an address has room for an id, and the mailbox can receive mail to other local parts. */
export function canBeMailbox(address: EmailAddress): boolean {
  const localPart = localPartOf(address);
  const length = Buffer.byteLength(localPart) + SEPARATOR.length + ID_DIGITS;
  return length <= MAX_LOCAL_PART_BYTES && /^[\w.-]+$/.test(localPart);
}

function mailIdOf({ bytes }: UnsubscribeKey, email: EmailAddress, topicId: string | null): string {
  const hmac = createHmac('sha256', bytes).update(`mailto ${topicId ?? ''} ${email}`);
  return idFromHex(hmac.digest('hex').slice(0, ID_HEX_DIGITS));
}

/** An id as it is written in an address. */
export function digitsOf(id: string): string {
  return BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(RADIX)
    .padStart(ID_DIGITS, '0');
}

function idIn(address: string): string | undefined {
  const [, digits] = /\+([0-7][0-9a-v]{25})@/.exec(address.toLowerCase()) ?? [];
  if (digits === undefined) {
    return undefined;
  }
  const number = [...digits].reduce((sum, digit) => sum * BigInt(RADIX) + BigInt(parseInt(digit, RADIX)), 0n);
  return idFromHex(number.toString(16).padStart(ID_HEX_DIGITS, '0'));
}
