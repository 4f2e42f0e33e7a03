import { Get } from '@nestjs/common';
import type { JSX } from 'preact';
import { sourceName } from '../../../audit/actor.js';
import { inUnicode } from '../../../email-address/email-address.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, type Visit } from '../../access/visit.js';
import { Card, Timestamp } from '../../components/content.js';
import { ConsolePage } from '../../components/console-page.js';
import { Table, type TableProps, urlOf } from '../../components/list.js';
import { ListStatus } from '../provider-lists/provider-list.view.js';
import { WebhookStatus } from '../webhooks/webhook.view.js';
import { Changes, daysOf, Figures } from './counts.view.js';
import { type Counted, Overviews } from './overviews.js';

@ConsoleController('overview', 'viewer')
export class OverviewController {
  constructor(private readonly overviews: Overviews) {}

  @Get()
  async show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { summary, days, changes, silent, failing, failingLists } = await this.overviews.find(
      visit.accountId,
    );
    const isBeingCounted = summary === null || changes === null;
    return (
      <ConsolePage visitor={visit} title="Overview" section="/console/overview" isRunning={isBeingCounted}>
        <Count id="summary" title="Suppressed addresses" counted={summary}>
          {(value) => <Figures summary={value} />}
        </Count>
        <Count id="changes" title="Added and removed in 30 days" counted={changes}>
          {(value) => <Changes days={daysOf(days, value)} />}
        </Count>
        <div class="columns">
          <Card title="Top domains">
            <Table
              caption="Domains with the most suppressed addresses"
              rows={summary?.value?.domains ?? []}
              columns={{
                Domain: ({ key }) => <a href={urlOf('/console/list', { domain: key })}>{inUnicode(key)}</a>,
                Addresses: ({ count }) => count.toLocaleString('en'),
              }}
              numbers={['Addresses']}
              empty={summary?.value ? 'The list is empty.' : summary ? NOT_AVAILABLE : 'Counting…'}
            />
          </Card>
          <Card title="Needs attention">
            <Attention
              caption="Sources without events for a week"
              rows={silent}
              columns={{
                'Silent source': ({ source: { id, name } }) => (
                  <a href={`/console/sources/${id}`}>{sourceName(name)}</a>
                ),
                'Last event': ({ lastAt }) => <Timestamp at={lastAt} fallback="Never" />,
              }}
              empty="No silent sources."
              link={<a href="/console/sources">All sources</a>}
            />
            <Attention
              caption="Failing webhooks"
              rows={failing}
              columns={{
                'Failing webhook': ({ id, endpoint }) => <a href={`/console/webhooks/${id}`}>{endpoint}</a>,
                Status: (webhook) => <WebhookStatus webhook={webhook} />,
              }}
              empty="No failing webhooks."
              link={<a href="/console/webhooks">All webhooks</a>}
            />
            <Attention
              caption="Failing provider lists"
              rows={failingLists}
              columns={{
                'Failing provider list': ({ id, name }) => (
                  <a href={`/console/provider-lists/${id}`}>{name}</a>
                ),
                Status: (list) => <ListStatus list={list} />,
              }}
              empty="No failing provider lists."
              link={<a href="/console/provider-lists">All provider lists</a>}
            />
          </Card>
        </div>
      </ConsolePage>
    );
  }
}

/** Rows of what needs attention. */
const MAX_ROWS = 20;

const NOT_AVAILABLE = 'The count takes too long. Reload the page in a minute.';

/** The first rows of what needs attention. If there are more, a link leads to all of them. */
function Attention<Row>({ rows, link, ...table }: TableProps<Row> & { link: JSX.Element }) {
  return (
    <>
      <Table {...table} rows={rows.slice(0, MAX_ROWS)} />
      {rows.length > MAX_ROWS && (
        <p>
          <span class="muted">
            The first {MAX_ROWS} of {rows.length}.
          </span>{' '}
          {link}
        </p>
      )}
    </>
  );
}

interface CountProps<Result> {
  id: string;
  title: string;
  counted: Counted<Result> | null;
  children: (value: Result) => JSX.Element;
}

/** A card with a count and its time. The script shows a count that is under way once it is known. */
function Count<Result>({ id, title, counted, children }: CountProps<Result>) {
  if (!counted?.value) {
    return (
      <Card id={id} title={title} isRunning={!counted}>
        <p class="empty">{counted ? NOT_AVAILABLE : 'Counting…'}</p>
      </Card>
    );
  }
  return (
    <Card id={id}>
      {children(counted.value)}
      <p class="muted">
        Counted <Timestamp at={counted.at} />.
      </p>
    </Card>
  );
}
