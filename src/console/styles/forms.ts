import { css } from '../../http/responses/html-document.js';

export const FORMS = css`
  .form {
    display: grid;
    gap: 1rem;
    max-width: 38rem;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1rem;
    align-items: flex-end;
  }
  .row > .field {
    flex: 1 1 10rem;
    max-width: 22rem;
  }
  .field {
    display: grid;
    gap: 0.3rem;
    min-width: 0;
  }
  label,
  legend {
    font-weight: 600;
    font-size: 0.875rem;
  }
  label .muted {
    font-weight: 400;
  }
  legend {
    padding: 0;
  }
  fieldset {
    border: 0;
    margin: 0;
    padding: 0;
    min-width: 0;
    display: grid;
    gap: 0.5rem;
  }
  .check > span {
    display: grid;
  }
  .check {
    font-weight: 400;
    display: flex;
    gap: 0.5rem;
    align-items: baseline;
  }
  .hint {
    color: var(--muted);
    font-size: 0.8125rem;
  }
  input:not([type='checkbox'], [type='radio'], [type='hidden']),
  select,
  textarea {
    font: inherit;
    color: inherit;
    width: 100%;
    min-width: 0;
    min-height: 2.5rem;
    padding: 0.45rem 0.75rem;
    background: var(--surface);
    border: 1px solid var(--control);
    border-radius: var(--radius);
  }
  input[type='file'] {
    padding: 1.25rem;
    border-style: dashed;
    background: var(--sunken);
  }
  ::file-selector-button {
    font: inherit;
    font-weight: 600;
    margin-right: 0.75rem;
    padding: 0.35rem 0.875rem;
    border: 1px solid var(--control);
    border-radius: var(--radius);
    background: var(--surface);
    color: var(--text);
    cursor: pointer;
  }
  textarea {
    resize: vertical;
  }
  .choices {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 0.5rem 1rem;
  }
  .choices > legend {
    margin-bottom: 0.25rem;
  }
  input:focus-visible,
  select:focus-visible,
  textarea:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 0;
    border-color: var(--accent);
    border-radius: var(--radius);
  }
  ::placeholder {
    color: var(--muted);
    opacity: 1;
  }
  .search {
    display: flex;
    gap: 0.75rem;
  }
  .search input {
    font-size: 1.0625rem;
    min-height: 3rem;
  }
  .search button {
    min-height: 3rem;
    padding-inline: 1.5rem;
  }
`;
