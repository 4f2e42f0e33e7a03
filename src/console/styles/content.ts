import { css } from '../../http/responses/html-document.js';

export const CONTENT = css`
  .card {
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: 0.75rem;
    padding: 1.25rem 1.375rem;
    display: grid;
    gap: 0.875rem;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .columns > .card {
    align-content: start;
  }
  .card > * {
    min-width: 0;
  }
  .columns {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
    gap: 1.25rem;
  }
  .notice {
    padding: 0.75rem 1rem;
    border-radius: var(--radius);
    border-left: 4px solid currentcolor;
    overflow-wrap: anywhere;
  }
  .notice > * {
    color: var(--text);
  }
  .notice ul {
    padding-left: 1.25rem;
  }
  .good {
    color: var(--good);
    background: var(--good-ground);
  }
  .bad {
    color: var(--bad);
    background: var(--bad-ground);
  }
  .warn {
    color: var(--warn);
    background: var(--warn-ground);
  }
  .answer {
    border-left: 6px solid currentcolor;
    border-radius: 0.75rem;
    padding: 1.25rem 1.375rem;
    display: grid;
    gap: 0.35rem;
    overflow-wrap: anywhere;
  }
  .answer > * {
    color: var(--text);
  }
  .answer .address {
    font-weight: 600;
  }
  .answer .sentence {
    font-size: 1.25rem;
    line-height: 1.35;
    font-weight: 600;
    letter-spacing: -0.01em;
    text-wrap: pretty;
  }
  .badge {
    display: inline-block;
    padding: 0.05rem 0.55rem;
    border-radius: 1rem;
    font-size: 0.8125rem;
    font-weight: 600;
    overflow-wrap: normal;
    text-wrap: balance;
  }
  .badge::first-letter {
    text-transform: uppercase;
  }
  .badge.plain {
    background: var(--sunken);
    color: var(--text);
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  .facts {
    display: grid;
    grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr);
    gap: 0.4rem 1.5rem;
  }
  .facts dt {
    color: var(--muted);
  }
  .facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  @media (max-width: 36rem) {
    .facts {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
    .facts dd + dt {
      margin-top: 0.6rem;
    }
  }
  .timeline {
    list-style: none;
    padding: 0;
    display: grid;
  }
  .timeline > li {
    padding: 0.65rem 0;
    border-bottom: 1px solid var(--line);
    display: grid;
    gap: 0.15rem;
  }
  .timeline > li > details {
    margin-top: 0.4rem;
  }
  .timeline > li:last-child {
    border-bottom: 0;
  }
  .empty {
    color: var(--muted);
  }
  .pager {
    display: flex;
    gap: 1.5rem;
  }
  .steps {
    padding-left: 1.4rem;
    display: grid;
    gap: 0.4rem;
  }
  .copy {
    background: var(--sunken);
    padding: 0.6rem 0.9rem;
    border-radius: var(--radius);
    font-family: var(--mono);
    font-size: 0.86em;
    overflow-wrap: anywhere;
    user-select: all;
  }
  progress {
    width: 100%;
    height: 0.75rem;
    accent-color: var(--accent);
  }
`;
