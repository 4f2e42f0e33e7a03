import { Get, Post } from '@nestjs/common';
import { actorIn } from '../../audit/actor-columns.js';
import { actorText } from '../../audit/actor.js';
import { apiError } from '../../http/errors/api-error.js';
import { MAX_LIMIT, type Page } from '../../http/page.js';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { RuleParam } from '../../rules/operations.js';
import type { RuleRef } from '../../rules/pattern.js';
import { PutRuleDto } from '../../rules/rule.dto.js';
import type { Rule, RuleEffect } from '../../rules/rule.entity.js';
import { RulesService } from '../../rules/rules.service.js';
import type { Topic } from '../../topics/topic.entity.js';
import { TopicsService } from '../../topics/topics.service.js';
import { ConsoleController, RequireRole } from '../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, readList, submit, submitChange, type Visit } from '../access/visit.js';
import { ConsolePage } from '../components/console-page.js';
import { Badge, Card, Facts, Timestamp } from '../components/content.js';
import { CardForm, ConfirmButton, type Fields, textsOf } from '../components/form.js';
import { Input, Select, TopicField } from '../components/inputs.js';
import { ListPage, Pager } from '../components/list.js';
import { BroadRulePage, coversRegistry } from './broad-rule.view.js';

/** Somebody has replaced the rule since the page was opened. */
class RuleReplacedError extends apiError(
  409,
  'rule_replaced',
  'Nothing was deleted, because the rule was replaced after you opened the page. This is the rule as it is now.',
) {}

const ROWS = 50;

@ConsoleController('rules', 'viewer')
export class RulesPageController {
  constructor(
    private readonly rules: RulesService,
    private readonly topics: TopicsService,
  ) {}

  @Get()
  list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.listPage(visit);
  }

  @Post()
  @RequireRole('editor')
  put(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.save(visit),
      (refused) => this.listPage(refused),
    );
  }

  @Get(':rule')
  show(@CurrentVisit() visit: Visit, @RuleParam ref: RuleRef): Promise<HtmlResponse> {
    return this.rulePage(visit, ref);
  }

  @Post(':rule/delete')
  @RequireRole('editor')
  delete(@CurrentVisit() visit: Visit, @RuleParam ref: RuleRef): Promise<HtmlResponse> {
    return submitChange(
      visit,
      () => this.rules.delete(visit.context, ref, (rule) => requireShown(visit.form, rule)),
      new Done('/console/rules', 'Rule deleted.'),
      (refused) => this.rulePage(refused, ref),
    );
  }

  private async save(visit: Visit): Promise<HtmlResponse> {
    const { confirmed, ...entered } = visit.form;
    const rule = (await readAs(PutRuleDto, entered)).toNewRule();
    if (coversRegistry(rule.pattern) && !confirmed) {
      return BroadRulePage({ visitor: visit, pattern: rule.pattern, entered });
    }
    await this.rules.put(visit.context, rule);
    return new Done('/console/rules', 'Rule saved.');
  }

  private async listPage(visit: Visit) {
    const { accountId, isEditor } = visit;
    const [list, choices] = await Promise.all([
      readList(visit, ROWS, (cursor) => this.rules.page(accountId, cursor)),
      this.topics.page(accountId, { limit: MAX_LIMIT }),
    ]);
    const topicIds = list.elements.flatMap(({ topicId }) => topicId ?? []);
    const topics = await this.topics.findEvenArchived(accountId, topicIds);
    return (
      <ListPage
        visitor={visit}
        title="Rules"
        path="/console/rules"
        createLabel={isEditor && 'Create a rule'}
        intro="A rule blocks or allows all addresses that it matches. No rule overrides a suppression that was added by hand, or what the recipient decided: an unsubscribe, an opt-out, or a spam complaint."
        list={list}
        columns={{
          Matches: ({ id, pattern }) => (
            <a href={`/console/rules/${id}`}>
              <code>{pattern}</code>
            </a>
          ),
          Effect: ({ effect }) => <EffectBadge effect={effect} />,
          Topic: (rule) => scopeOf(rule, topics),
          Note: ({ note }) => <bdi>{note ?? '–'}</bdi>,
          Ends: ({ expiresAt }) => <Timestamp at={expiresAt} fallback="Never" />,
        }}
        empty={`No rules yet.${isEditor ? ' Block a domain that must not be mailed, or allow one whose bounces should not count.' : ''}`}
      >
        {isEditor && <CreateCard topics={choices} />}
      </ListPage>
    );
  }

  private async rulePage(visit: Visit, ref: RuleRef) {
    const { accountId } = visit;
    const rule = await this.rules.get(accountId, ref);
    const topics = await this.topics.findEvenArchived(accountId, rule.topicId ? [rule.topicId] : []);
    const history = await readList(visit, ROWS, (cursor) =>
      this.rules.history(accountId, { id: rule.id }, cursor),
    );
    const path = `/console/rules/${rule.id}`;
    const email = rule.topicId ? `email about ${scopeOf(rule, topics)}` : 'email';
    return (
      <ConsolePage visitor={visit} title={rule.pattern} section="/console/rules">
        <Card>
          <Facts
            facts={{
              Effect: <EffectBadge effect={rule.effect} />,
              Topic: scopeOf(rule, topics),
              Note: <bdi>{rule.note ?? '–'}</bdi>,
              Ends: <Timestamp at={rule.expiresAt} fallback="Never" />,
              Created: <Timestamp at={rule.createdAt} />,
            }}
          />
          {visit.isEditor && (
            <ConfirmButton
              action={`${path}/delete`}
              label="Delete"
              confirm="Delete this rule"
              hidden={{ shown: contentOf(rule) }}
            >
              {rule.effect === 'block'
                ? `From then on, the addresses that it matches get ${email}, unless something else suppresses them.`
                : rule.topicId
                  ? `From then on, a bounce also stops ${email} to the addresses that it matches.`
                  : 'From then on, bounces suppress the addresses that it matches.'}
            </ConfirmButton>
          )}
        </Card>
        <Card title="History">
          <ol class="timeline">
            {history.elements.map((change) => (
              <li key={change.id}>
                <p class="row">
                  <strong>{ACTIONS[change.action]}</strong>
                  <EffectBadge effect={change.effect} />
                  <span class="muted">
                    by {actorText(actorIn(change.actor))}, <Timestamp at={change.createdAt} />
                  </span>
                </p>
                {change.note && <p dir="auto">{change.note}</p>}
              </li>
            ))}
          </ol>
          <Pager path={path} list={history} />
        </Card>
      </ConsolePage>
    );
  }
}

/** What a replacement changes, to tell whether the rule is still the one that the page shows. */
function contentOf({ effect, note, expiresAt }: Rule): string {
  return JSON.stringify([effect, note, expiresAt]);
}

/**
 * A form without the content, as from a page of an earlier version, is about any.
 *
 * @throws {RuleReplacedError}
 */
function requireShown(form: Fields, rule: Rule): void {
  const [shown] = textsOf(form, 'shown');
  if (shown !== undefined && shown !== contentOf(rule)) {
    throw new RuleReplacedError();
  }
}

const EFFECTS: Record<RuleEffect, string> = {
  block: 'Block: never email these addresses',
  allow: 'Allow: email them even if they bounced',
};

const ACTIONS = { created: 'Created', replaced: 'Replaced', deleted: 'Deleted' };

function EffectBadge({ effect }: { effect: RuleEffect }) {
  return effect === 'allow' ? <Badge tone="good" text="Allow" /> : <Badge tone="bad" text="Block" />;
}

/** The email that a rule is about. */
function scopeOf({ topicId }: Rule, topics: Topic[]): string {
  const topic = topics.find(({ id }) => id === topicId);
  return topic ? `${topic.name}${topic.archivedAt ? ' (archived)' : ''}` : 'All email';
}

function CreateCard({ topics }: { topics: Page<Topic> }) {
  return (
    <CardForm id="create" title="Create or replace a rule" action="/console/rules" submit="Save">
      <Input
        name="pattern"
        label="Matches"
        hint="An address, a domain (example.com), all its subdomains (*.example.com), or a local part at any domain (abuse@*)."
        required
      />
      <Select name="effect" label="Effect" choices={EFFECTS} />
      <TopicField name="topic" label="Topic" topics={topics} emptyLabel="All email" />
      <Input name="note" label="Note" hint="The reason for the rule." maxLength={1000} />
      <Input
        name="expires_at"
        label="Ends at the start of (UTC)"
        hint="If empty, the rule does not expire."
        type="date"
      />
    </CardForm>
  );
}
