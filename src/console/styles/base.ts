import { css } from '../../http/responses/html-document.js';

/** Colors have a contrast of 4.5 to 1 on the grounds that they are used on (WCAG 2.2, 1.4.3). */
export const BASE = css`
  :root {
    color-scheme: light dark;
    --ground: #f5f6f8;
    --surface: #ffffff;
    --sunken: #eef0f3;
    --text: #171a1f;
    --muted: #57606c;
    --line: #dcdfe4;
    --control: #868e99;
    --accent: #2347b5;
    --accent-strong: #1b3890;
    --on-accent: #ffffff;
    --good: #16663a;
    --good-ground: #e3f4ea;
    --bad: #a4231b;
    --bad-ground: #fcebe9;
    --warn: #7a4a00;
    --warn-ground: #fdf1dc;
    --radius: 0.5rem;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #101317;
      --surface: #191d23;
      --sunken: #22272e;
      --text: #e9ebee;
      --muted: #a7b0bb;
      --line: #2e343d;
      --control: #7d8794;
      --accent: #9db8ff;
      --accent-strong: #c0d2ff;
      --on-accent: #0d1634;
      --good: #86d9a8;
      --good-ground: #14301f;
      --bad: #ffa59c;
      --bad-ground: #3a1a18;
      --warn: #f2c67a;
      --warn-ground: #352710;
    }
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  html {
    font:
      100%/1.55 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Helvetica Neue',
      'Liberation Sans',
      sans-serif;
    -webkit-text-size-adjust: 100%;
    background: var(--ground);
    color: var(--text);
  }
  body {
    margin: 0;
    font-size: 0.9375rem;
  }
  h1,
  h2,
  h3 {
    line-height: 1.25;
    margin: 0;
    text-wrap: balance;
    letter-spacing: -0.01em;
  }
  h1 {
    font-size: 1.625rem;
    font-weight: 650;
  }
  h2 {
    font-size: 1.0625rem;
    font-weight: 650;
  }
  h3 {
    font-size: 0.9375rem;
    font-weight: 650;
  }
  p,
  ul,
  ol,
  dl,
  pre,
  table,
  figure {
    margin: 0;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.18em;
    text-decoration-thickness: 1px;
  }
  a:hover {
    color: var(--accent-strong);
    text-decoration-thickness: 2px;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
    border-radius: 3px;
  }
  main:focus {
    outline: none;
  }
  code,
  pre,
  .mono {
    font-family: var(--mono);
    font-size: 0.86em;
  }
  pre {
    background: var(--sunken);
    padding: 0.75rem 1rem;
    border-radius: var(--radius);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .muted {
    color: var(--muted);
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media print {
    .bar,
    form,
    .pager {
      display: none;
    }
  }
`;
