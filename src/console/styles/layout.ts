import { css } from '../../http/responses/html-document.js';

export const LAYOUT = css`
  .skip {
    position: absolute;
    left: 1rem;
    top: -4rem;
    z-index: 2;
    background: var(--accent);
    color: var(--on-accent);
    padding: 0.6rem 1rem;
    border-radius: 0 0 var(--radius) var(--radius);
  }
  .skip:focus {
    top: 0;
    color: var(--on-accent);
  }
  .frame {
    display: grid;
    grid-template-columns: 14.5rem minmax(0, 1fr);
    min-height: 100vh;
  }
  .bar {
    background: var(--surface);
    border-right: 1px solid var(--line);
    padding: 1.5rem 1rem 1rem;
    display: flex;
    flex-direction: column;
    gap: 1.5rem;
    position: sticky;
    top: 0;
    height: 100vh;
    overflow-y: auto;
  }
  .brand {
    font-weight: 700;
    letter-spacing: -0.01em;
    padding: 0 0.625rem;
  }
  .brand a {
    color: inherit;
    text-decoration: none;
    display: block;
  }
  .account {
    font-weight: 400;
    font-size: 0.8125rem;
    color: var(--muted);
    overflow-wrap: anywhere;
  }
  .bar nav ul {
    list-style: none;
    padding: 0;
    margin: 0 0 1rem;
  }
  .bar nav a {
    display: block;
    padding: 0.375rem 0.625rem;
    border-radius: 0.375rem;
    color: var(--text);
    text-decoration: none;
  }
  .bar nav a:hover {
    background: var(--sunken);
  }
  .bar nav a[aria-current] {
    background: var(--sunken);
    font-weight: 650;
    box-shadow: inset 3px 0 0 var(--accent);
  }
  .menu {
    display: none;
  }
  .me {
    margin-top: auto;
    padding: 0.75rem 0.625rem 0;
    border-top: 1px solid var(--line);
    font-size: 0.8125rem;
    overflow-wrap: anywhere;
    display: grid;
    gap: 0.25rem;
    justify-items: start;
  }
  main {
    padding: 2rem clamp(1rem, 4vw, 3rem) 4rem;
    max-width: 70rem;
    display: grid;
    gap: 1.25rem;
    align-content: start;
  }
  main > * {
    min-width: 0;
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.5rem;
    align-items: center;
    justify-content: space-between;
    overflow-wrap: anywhere;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    align-items: center;
  }
  .lede {
    color: var(--muted);
    max-width: 44rem;
  }
  .outside {
    max-width: 32rem;
    margin: 0 auto;
    padding-top: 12vh;
  }
  .outside .card h1 {
    font-size: 1.375rem;
  }
  .outside > .brand {
    padding: 0;
  }
  @media (max-width: 56rem) {
    .frame {
      display: block;
    }
    .bar {
      position: relative;
      height: auto;
      border-right: 0;
      border-bottom: 1px solid var(--line);
      padding: 0.75rem 1rem;
      display: grid;
      gap: 0.25rem;
    }
    .brand {
      padding: 0;
    }
    .bar .brand {
      padding-right: 8rem;
      min-height: 2.5rem;
    }
    .side {
      display: none;
    }
    .menu {
      display: block;
    }
    .menu summary {
      position: absolute;
      top: 0.75rem;
      right: 1rem;
      padding: 0.375rem 0.875rem;
      border: 1px solid var(--control);
      border-radius: var(--radius);
    }
    .menu nav {
      padding-top: 0.75rem;
      columns: 2;
    }
    .bar nav a {
      padding-block: 0.55rem;
    }
    .bar nav ul {
      break-inside: avoid;
    }
    .me {
      display: none;
    }
    .menu[open] ~ .me {
      display: flex;
      justify-content: space-between;
      gap: 1rem;
    }
    main {
      padding-top: 1.25rem;
    }
  }
`;
