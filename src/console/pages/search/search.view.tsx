import type { JSX } from 'preact';
import type { Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { TextArea, Input } from '../../components/form.js';
import { canEdit } from '../../people/roles.js';
import type { AddressAnswer } from './address-answers.js';
import { AddressAnswerView } from './answer.view.js';
import { WithPrefix, type PrefixResult } from './prefix.view.js';

export interface SearchPageProps extends PageProps {
  /** What the person searched for. */
  query?: string;
  answer?: AddressAnswer;
  /** What was found instead of one address. */
  withPrefix?: PrefixResult;
  /** The page of the topics of the answer, from 1. */
  topicsPage?: number;
  /** What the person entered into the list of addresses to add. */
  entered?: { emails: string; note: string };
  /** The form for lifting that was refused. */
  lift?: Fields;
  /** The form for topics that was refused. */
  choices?: Fields;
  /** The form for an erasure that was refused. */
  erasure?: Fields;
}

export function SearchPage(page: SearchPageProps): JSX.Element {
  const { query = '', answer, withPrefix, topicsPage = 1, entered, lift, choices, erasure, ...props } = page;
  return (
    <ConsolePage {...props} title="Search" section="/console">
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
          autofocus={query === '' && !entered && !props.visitor.done}
          required
        />
        <button class="primary" type="submit">
          Search
        </button>
      </form>
      {answer && (
        <AddressAnswerView
          answer={answer}
          visitor={props.visitor}
          topicsPage={topicsPage}
          lift={lift}
          choices={choices}
          erasure={erasure}
        />
      )}
      {withPrefix && <WithPrefix {...withPrefix} />}
      {!answer && !withPrefix && (
        <>
          <p class="lede">
            Enter the address of somebody who gets no email, or the id of a suppression. The page explains
            why, and what you can do about it. You can also enter the beginning of an address, or a domain
            such as @example.com.
          </p>
          {canEdit(props.visitor) && <AddCard emails={entered?.emails} note={entered?.note} />}
        </>
      )}
    </ConsolePage>
  );
}

function AddCard({ emails, note }: { emails: string | undefined; note: string | undefined }): JSX.Element {
  return (
    <section class="card">
      <h2>Suppress addresses</h2>
      <form class="form" method="post" action="/console/add">
        <TextArea
          name="emails"
          label="Addresses"
          hint="Up to 100, on separate lines or with commas between them. For more, import a file."
          rows={5}
          value={emails}
          required
        />
        <Input
          name="note"
          label="Note"
          hint="The reason, shown in the history."
          maxLength={1000}
          value={note}
        />
        <button type="submit">Suppress</button>
      </form>
    </section>
  );
}
