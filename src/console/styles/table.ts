import { css } from '../../http/responses/html-document.js';

/** The cells of a row below each other, with the names of their columns. */
const STACKED = css`
  & :is(tbody, tr, th, td),
  & {
    display: block;
    width: auto;
    min-width: 0;
  }
  & tbody th {
    max-width: none;
  }
  & thead {
    display: none;
  }
  & tr {
    padding-block: 0.6rem;
    border-bottom: 1px solid var(--line);
  }
  & tr:last-child {
    border-bottom: 0;
  }
  & :is(th, td) {
    padding: 0.2rem 0;
    border: 0;
    text-align: left;
  }
  & th {
    font-weight: 600;
  }
  & td {
    display: grid;
    grid-template-columns: 6.5rem minmax(0, 1fr);
    gap: 0 0.75rem;
  }
  & td::before {
    content: attr(data-label);
    grid-row: 1 / span 9;
    color: var(--muted);
    font-size: 0.8125rem;
  }
  & td > * {
    grid-column: 2;
    justify-self: start;
    min-width: 0;
    max-width: 100%;
  }
  & th .muted {
    font-weight: 400;
  }
`;

/**
 * Any text breaks before its table becomes too wide, but a cell stays wide enough for a usual word, and the first one for a usual
 * address. Tables with less room than that in their card are stacked. Shadows show where the others scroll.
 */
export const TABLE = css`
  .scroll {
    --shade: rgb(0 0 0 / 18%);
    container-type: inline-size;
    overflow-x: auto;
    background:
      linear-gradient(to right, var(--surface) 1.5rem, transparent) left / 2.5rem 100% local,
      linear-gradient(to left, var(--surface) 1.5rem, transparent) right / 2.5rem 100% local,
      linear-gradient(to right, var(--shade), transparent) left / 0.75rem 100%,
      linear-gradient(to left, var(--shade), transparent) right / 0.75rem 100%;
    background-repeat: no-repeat;
  }
  @media (prefers-color-scheme: dark) {
    .scroll {
      --shade: rgb(0 0 0 / 60%);
    }
  }
  .card > .scroll {
    margin-inline: -1.375rem;
    padding-inline: 1.375rem;
  }
  table {
    border-collapse: collapse;
    width: 100%;
  }
  th,
  td {
    text-align: left;
    vertical-align: baseline;
    min-width: 7.5rem;
    padding: 0.6rem 1.25rem 0.6rem 0;
    border-bottom: 1px solid var(--line);
    font-weight: 400;
    overflow-wrap: anywhere;
  }
  tbody th {
    max-width: 45cqw;
    overflow-wrap: break-word;
  }
  .few tbody th {
    max-width: 34cqw;
  }
  .many tbody th {
    max-width: 30cqw;
  }
  th:last-child,
  td:last-child {
    padding-right: 0;
  }
  tbody tr:last-child > * {
    border-bottom: 0;
  }
  thead th {
    font-size: 0.8125rem;
    color: var(--muted);
    font-weight: 600;
    white-space: nowrap;
  }
  th.number,
  td.number {
    min-width: 0;
    text-align: right;
    overflow-wrap: normal;
  }
  :is(th, td) time {
    overflow-wrap: normal;
  }
  @container (max-width: 33rem) {
    .few {
      ${STACKED}
    }
  }
  @container (max-width: 42rem) {
    .many {
      ${STACKED}
    }
  }
`;
