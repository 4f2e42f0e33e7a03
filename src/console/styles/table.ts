import { css } from '../../http/html-document.js';

export const TABLE = css`
  .scroll {
    overflow-x: auto;
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
    padding: 0.6rem 1.25rem 0.6rem 0;
    border-bottom: 1px solid var(--line);
    font-weight: 400;
    overflow-wrap: break-word;
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
    text-align: right;
  }
  td time,
  th time {
    white-space: nowrap;
  }
  @media (max-width: 36rem) {
    table {
      width: max-content;
      min-width: 100%;
    }
    th,
    td {
      max-width: 17rem;
    }
    .stacked,
    .stacked :is(tbody, tr, th, td) {
      display: block;
      width: auto;
      max-width: none;
    }
    .stacked thead {
      display: none;
    }
    .stacked tr {
      padding-block: 0.6rem;
      border-bottom: 1px solid var(--line);
    }
    .stacked tr:last-child {
      border-bottom: 0;
    }
    .stacked :is(th, td) {
      padding: 0.2rem 0;
      border: 0;
      text-align: left;
    }
    .stacked th {
      font-weight: 600;
    }
    .stacked td {
      display: grid;
      grid-template-columns: 6.5rem minmax(0, 1fr);
      gap: 0 0.75rem;
    }
    .stacked td::before {
      content: attr(data-label);
      grid-row: 1 / span 9;
      color: var(--muted);
      font-size: 0.8125rem;
    }
    .stacked td > * {
      grid-column: 2;
      justify-self: start;
      min-width: 0;
      max-width: 100%;
      overflow-wrap: anywhere;
    }
    .stacked time {
      white-space: normal;
    }
    .stacked th .muted {
      font-weight: 400;
    }
  }
`;
