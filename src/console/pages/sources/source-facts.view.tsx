import type { JSX } from 'preact';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { Timestamp } from '../../components/timestamp.js';
import { SourceStatus } from './sources.view.js';
import { providerLabel } from './source-words.js';

export function Facts({ source }: { source: Source }): JSX.Element {
  const { id, provider, options, badSignatures, lastError, lastErrorAt, createdAt } = source;
  return (
    <section class="card">
      <h2>State</h2>
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <SourceStatus source={source} />
        </dd>
        <dt>Provider</dt>
        <dd>{providerLabel(provider)}</dd>
        <dt>Id</dt>
        <dd class="mono">{id}</dd>
        <dt>Created</dt>
        <dd>
          <Timestamp at={createdAt} />
        </dd>
        {options.softLimit && (
          <>
            <dt>Soft limit</dt>
            <dd>
              {options.softLimit.failures} failures within {options.softLimit.days} days
            </dd>
          </>
        )}
        <dt>Refused deliveries</dt>
        <dd class="number">{badSignatures}</dd>
        {lastError && (
          <>
            <dt>Last error</dt>
            <dd>
              {lastError} (<Timestamp at={lastErrorAt} />)
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
