import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import { Card } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { CardForm, textOf, type Fields } from '../../components/form.js';
import { Input, TextArea } from '../../components/inputs.js';
import { Table } from '../../components/list.js';
import { quote } from '../../components/words.js';
import { SUPPRESSION_COLUMNS } from '../list.controller.js';
import type { AddressAnswer } from './address-answers.js';
import { AddressAnswerView } from './answer.view.js';

export interface SearchPageProps extends PageProps {
  /** What the person searched for. */
  query?: string;
  answer?: AddressAnswer;
  /** The answer to a search for the beginning of addresses. */
  withPrefix?: PrefixResult;
  /** The page of the topics of the answer, from 1. */
  topicsPage?: number;
}

export function SearchPage(page: SearchPageProps) {
  const { visitor, query = '', answer, withPrefix, topicsPage = 1 } = page;
  return (
    <ConsolePage visitor={visitor} title="Search" tabTitle={answer?.email} section="/console">
      <form class="search" method="get" action="/console" role="search">
        <label class="hidden" for="search">
          Address, domain, or id
        </label>
        <input
          id="search"
          name="q"
          type="search"
          value={query}
          placeholder="Address, its beginning, @domain, or id"
          autocomplete="off"
          spellcheck={false}
          autofocus={query === '' && !visitor.entered && !visitor.done}
          required
        />
        <button class="primary" type="submit">
          Search
        </button>
      </form>
      {answer && <AddressAnswerView answer={answer} visitor={visitor} topicsPage={topicsPage} />}
      {withPrefix && <WithPrefix {...withPrefix} />}
      {!answer && !withPrefix && (
        <>
          <p class="lede">
            Enter the address of somebody who gets no email, or the id of a suppression. The page explains
            why, and what you can do about it. You can also enter the beginning of an address, or a domain
            such as @example.com.
          </p>
          {visitor.isEditor && <AddCard />}
        </>
      )}
    </ConsolePage>
  );
}

/** The page of the topics that a URL or a form names; 1 if it is not valid. */
export function topicsPageIn(fields: Fields): number {
  const text = textOf(fields, 'topics');
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

function AddCard() {
  return (
    <CardForm
      title="Suppress addresses"
      intro="These addresses then get no mail at all, not even a password reset."
      action="/console/add"
      submit="Suppress"
      tone="plain"
    >
      <TextArea
        name="emails"
        label="Addresses"
        hint="Up to 100, on separate lines or with commas between them, or rows of a spreadsheet. For more, import a file."
        rows={5}
        required
      />
      <Input name="note" label="Note" hint="The reason, shown in the history." maxLength={1000} />
    </CardForm>
  );
}

/** The suppressed addresses that begin with what a person entered. */
interface PrefixResult {
  prefix: string;
  suppressions: FoundSuppression[];
  /** Whether there are more such addresses. */
  hasMore: boolean;
}

function WithPrefix({ prefix, suppressions, hasMore }: PrefixResult) {
  const caption = `Suppressed addresses that begin with ${quote(prefix)}`;
  return (
    <Card title={caption}>
      <Table
        caption={caption}
        rows={suppressions}
        columns={SUPPRESSION_COLUMNS}
        empty="No address on the list begins with it."
      />
      <p class="muted">
        {hasMore && `Only the first ${suppressions.length} are shown. Enter more of the address. `}
        To see whether an address may be mailed, enter all of it. To list a domain, enter it with an @, such
        as @example.com.
      </p>
    </Card>
  );
}
