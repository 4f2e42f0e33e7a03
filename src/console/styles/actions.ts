import { css } from '../../http/responses/html-document.js';

/** Buttons, and what opens below them. */
export const ACTIONS = css`
  button,
  .button {
    font: inherit;
    font-weight: 600;
    display: inline-block;
    min-height: 2.5rem;
    padding: 0.45rem 1rem;
    border: 1px solid var(--control);
    border-radius: var(--radius);
    background: var(--surface);
    color: var(--text);
    text-decoration: none;
    cursor: pointer;
    width: fit-content;
  }
  button:hover,
  .button:hover {
    background: var(--sunken);
    color: var(--text);
  }
  button.primary,
  .button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
  }
  button.primary:hover,
  .button.primary:hover {
    background: var(--accent-strong);
    border-color: var(--accent-strong);
    color: var(--on-accent);
  }
  button.danger,
  .button.danger {
    color: var(--bad);
    border-color: var(--bad);
  }
  button.link {
    border: 0;
    min-height: 1.5rem;
    padding: 0;
    background: none;
    color: var(--accent);
    text-decoration: underline;
    text-underline-offset: 0.18em;
    font-weight: 400;
  }
  summary {
    cursor: pointer;
    font-weight: 600;
    width: fit-content;
  }
  details[open] > summary {
    margin-bottom: 0.75rem;
  }
  details.excerpt > summary {
    margin: 0;
    font-weight: inherit;
  }
  details.act > summary {
    list-style: none;
    padding: 0.3rem 0.8rem;
    border: 1px solid var(--control);
    border-radius: var(--radius);
    font-size: 0.875rem;
  }
  details.act > summary::-webkit-details-marker {
    display: none;
  }
  details.act > summary.danger {
    color: var(--bad);
    border-color: var(--bad);
  }
  .ask {
    display: grid;
    gap: 0.75rem;
    justify-items: start;
    max-width: 38rem;
    padding-left: 0.875rem;
    border-left: 3px solid var(--line);
  }
  .ask.danger {
    border-color: var(--bad);
  }
  .actions > details.act > summary {
    padding: 0.45rem 1rem;
    font-size: inherit;
  }
  .actions > details[open] {
    flex-basis: 100%;
  }
  details.act > summary:hover {
    background: var(--sunken);
  }
  details.act[open] > summary {
    background: var(--sunken);
  }
`;
