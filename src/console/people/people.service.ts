import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository } from 'typeorm';
import { transactionBefore } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { findPage } from '../../http/find-page.js';
import type { Cursor, Page } from '../../http/page.js';
import { ConsoleSession } from './console-session.entity.js';
import { PersonNotFoundError } from './errors.js';
import { Person } from './person.entity.js';
import type { Role } from './roles.js';
import { SignInLink } from './sign-in-link.entity.js';

/** A person, and when each of their browsers was last used. */
export interface ListedPerson {
  person: Person;
  sessions: Date[];
}

/** The people who may use the console of an account. */
@Injectable()
export class PeopleService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Person) private readonly people: Repository<Person>,
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
  ) {}

  /**
   * Adds a person, or changes the role of one who is there.
   *
   * @param role - undefined keeps the role; a new person becomes a viewer
   */
  async add(accountId: number, email: EmailAddress, role?: Role): Promise<Person> {
    await this.people
      .createQueryBuilder()
      .insert()
      .values({ accountId, email, role: role ?? 'viewer' })
      .orIgnore()
      .execute();
    if (role) {
      await this.people.update({ accountId, email }, { role });
    }
    return this.people.findOneByOrFail({ accountId, email });
  }

  /** Newest first. */
  async page(accountId: number, cursor: Cursor): Promise<Page<ListedPerson>> {
    const { elements: people, hasMore } = await findPage(this.people, [{ accountId }], cursor);
    const personId = In(people.map(({ id }) => id));
    const sessions = await this.sessions.find({
      where: { accountId, personId },
      order: { lastSeenAt: 'DESC' },
    });
    const elements = people.map((person) => ({
      person,
      sessions: sessions.filter((one) => one.personId === person.id).map(({ lastSeenAt }) => lastSeenAt),
    }));
    return { elements, hasMore };
  }

  /** @throws {PersonNotFoundError} */
  async get(accountId: number, id: string): Promise<Person> {
    const person = await this.people.findOneBy({ accountId, id });
    if (!person) {
      throw new PersonNotFoundError();
    }
    return person;
  }

  /**
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async setRole(accountId: number, id: string, role: Role, deadline: number): Promise<void> {
    await this.get(accountId, id);
    await transactionBefore(this.dataSource, deadline, (transaction) =>
      transaction.update(Person, { accountId, id }, { role }),
    );
  }

  /**
   * Signs a person out everywhere, and makes the unused links of the person invalid.
   *
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async endSessions(accountId: number, id: string, deadline: number): Promise<void> {
    await this.get(accountId, id);
    await transactionBefore(this.dataSource, deadline, async (transaction) => {
      await transaction.delete(SignInLink, { accountId, personId: id });
      await transaction.delete(ConsoleSession, { accountId, personId: id });
    });
  }

  /**
   * Removes a person with all sessions. The ledger keeps what the person did.
   *
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async remove(accountId: number, id: string, deadline: number): Promise<void> {
    await this.get(accountId, id);
    await transactionBefore(this.dataSource, deadline, (transaction) =>
      transaction.delete(Person, { accountId, id }),
    );
  }
}
