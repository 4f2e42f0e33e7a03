import { css } from '../../http/responses/html-document.js';

export const CHART = css`
  .chart {
    display: block;
    width: 100%;
    height: auto;
  }
  .chart text {
    fill: var(--muted);
    font-size: 12px;
  }
  @media (max-width: 36rem) {
    .chart text {
      font-size: 26px;
    }
  }
  .chart line {
    stroke: var(--control);
  }
  .chart .highest {
    stroke: var(--line);
  }
  .chart .hover {
    fill: transparent;
  }
  .chart g:hover .hover {
    fill: var(--sunken);
  }
  .chart .bounce {
    fill: #3f6fd9;
  }
  .chart .manual {
    fill: #8a94a3;
  }
  .chart .unsubscribe {
    fill: #d08a1d;
  }
  .chart .complaint {
    fill: #c2453c;
  }
  .chart .removed {
    opacity: 0.55;
  }
  .chart.key {
    display: inline-block;
    width: 0.75rem;
    height: 0.75rem;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
    font-size: 0.8125rem;
    margin-top: 0.5rem;
  }
  .figures {
    display: flex;
    flex-wrap: wrap;
    gap: 1rem 2.5rem;
  }
  .figures dt {
    color: var(--muted);
    font-size: 0.8125rem;
  }
  .figures dd {
    margin: 0;
    font-size: 1.375rem;
    font-weight: 650;
  }
`;
