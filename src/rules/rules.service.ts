import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, Not, Raw, Repository, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { renewRulesVersion } from '../accounts/rules-version.js';
import type { AccountContext, RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { requireFound } from '../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { StoredNames, type Pseudonymized } from '../pseudonyms/stored-names.js';
import type { TopicRef } from '../topics/topic-ref.js';
import { TopicsService } from '../topics/topics.service.js';
import { RuleNotFoundError, TooManyRulesError } from './errors.js';
import type { Pattern, RuleRef } from './pattern.js';
import { Rule, RuleChange, type RuleAction } from './rule.entity.js';

const MAX_RULES = 10_000;

/** Uses the clock of the database, as a check does. */
const HAS_PASSED = Raw((column) => `${column} <= now()`);

export type NewRule = Pick<Rule, 'pattern' | 'effect' | 'note' | 'expiresAt'> & { topic: TopicRef | null };

export interface PutRuleResult {
  rule: Rule;
  action: 'created' | 'replaced';
}

/** The rules of an account. An expired rule is not found. */
@Injectable()
export class RulesService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Rule) private readonly rules: Repository<Rule>,
    @InjectRepository(RuleChange) private readonly changes: Repository<RuleChange>,
    private readonly topics: TopicsService,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Creates a rule, or replaces the one with the same pattern and topic, which keeps its id.
   *
   * @throws {TooManyRulesError}
   * @throws {TopicNotFoundError}
   */
  async put(context: RequestContext, { topic, ...given }: NewRule): Promise<PutRuleResult> {
    const { accountId, actor } = context;
    const topicId = topic && (await this.topics.get(accountId, topic)).id;
    const pseudonyms = await this.pseudonymsFor('forWriting', accountId, given.pattern);
    const pattern = renamedPattern(given.pattern, pseudonyms);
    const rule = await this.storedNames.renameInTexts(accountId, { ...given, pattern }, pseudonyms);
    return this.write(context, async (rules, record) => {
      await rules.delete({ accountId, expiresAt: HAS_PASSED });
      const samePattern = { accountId, pattern: rule.pattern, topicId: topicId ?? IsNull() };
      const existing = await rules.findOneBy(samePattern);
      if (!existing && (await rules.countBy({ accountId })) >= MAX_RULES) {
        throw new TooManyRulesError();
      }
      const id = existing?.id ?? uuidv7();
      await rules.save({ ...rule, accountId, id, topicId });
      const action = existing ? 'replaced' : 'created';
      const written = await rules.findOneByOrFail({ accountId, id });
      await record(actor, action, written);
      return { rule: { ...written, pattern: given.pattern }, action };
    });
  }

  /** @throws {RuleNotFoundError} */
  async get(accountId: number, ref: RuleRef): Promise<Rule> {
    const stored = await this.storedRef('forReading', accountId, ref);
    const found = await this.rules.findOneBy(inForce({ accountId, ...whereRef(stored) }));
    return asGiven(requireFound(found, RuleNotFoundError), ref);
  }

  /** Newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<Rule>> {
    return findPage(this.rules, inForce({ accountId }), cursor);
  }

  /**
   * @param check - throws if the rule must stay
   * @throws {RuleNotFoundError}
   */
  async delete(context: RequestContext, ref: RuleRef, check?: (rule: Rule) => void): Promise<Rule> {
    const { accountId, actor } = context;
    const stored = await this.storedRef('forWriting', accountId, ref);
    return this.write(context, async (rules, record) => {
      const found = await rules.findOneBy(inForce({ accountId, ...whereRef(stored) }));
      const rule = requireFound(found, RuleNotFoundError);
      check?.(rule);
      await rules.delete({ accountId, id: rule.id });
      await record(actor, 'deleted', rule);
      return asGiven(rule, ref);
    });
  }

  /**
   * The history of a rule, newest first, even after the rule was deleted.
   *
   * @throws {RuleNotFoundError} if there never was such a rule
   */
  async history(accountId: number, given: RuleRef, cursor: Cursor): Promise<Page<RuleChange>> {
    const ref = await this.storedRef('forReading', accountId, given);
    const [latest] = await this.changes.find({
      where: { accountId, ...('id' in ref ? { ruleId: ref.id } : whereRef(ref)) },
      order: { id: 'DESC' },
      take: 1,
    });
    const { ruleId } = requireFound(latest, RuleNotFoundError);
    return findPage(this.changes, [{ accountId, ruleId }], cursor);
  }

  /** The pseudonym of the address in a pattern. */
  private pseudonymsFor(
    use: 'forReading' | 'forWriting',
    accountId: number,
    pattern: Pattern,
  ): Promise<Pseudonymized> {
    return this.storedNames[use](accountId, [pattern as string as EmailAddress]);
  }

  private async storedRef(
    use: 'forReading' | 'forWriting',
    accountId: number,
    ref: RuleRef,
  ): Promise<RuleRef> {
    return 'id' in ref
      ? ref
      : { pattern: renamedPattern(ref.pattern, await this.pseudonymsFor(use, accountId, ref.pattern)) };
  }

  /** Lets only one writer at a time change the rules of an account, so that the limit is exact. */
  private write<Result>(
    context: AccountContext,
    work: (rules: Repository<Rule>, record: Recorder) => Promise<Result>,
  ): Promise<Result> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      await renewRulesVersion(transaction, context.accountId);
      return work(transaction.getRepository(Rule), createRecorder(transaction));
    });
  }
}

type Recorder = (actor: ChangeActor, action: RuleAction, rule: Rule) => Promise<unknown>;

function createRecorder(transaction: EntityManager): Recorder {
  return (actor, action, { id: ruleId, createdAt: _createdAt, ...rule }) =>
    transaction.getRepository(RuleChange).insert({
      ...rule,
      ruleId,
      action,
      actor: { actorType: actor.type, actorId: actor.id, actorName: actor.name },
    });
}

function renamedPattern(pattern: Pattern, pseudonyms: Pseudonymized): Pattern {
  return (pseudonyms.get(pattern as string as EmailAddress) ?? pattern) as Pattern;
}

function asGiven(rule: Rule, ref: RuleRef): Rule {
  return 'id' in ref ? rule : { ...rule, pattern: ref.pattern };
}

function whereRef(ref: RuleRef): FindOptionsWhere<Rule> & FindOptionsWhere<RuleChange> {
  return 'id' in ref ? { id: ref.id } : { pattern: ref.pattern, topicId: IsNull() };
}

function inForce(where: FindOptionsWhere<Rule>): FindOptionsWhere<Rule>[] {
  return [
    { ...where, expiresAt: IsNull() },
    { ...where, expiresAt: Not(HAS_PASSED) },
  ];
}
