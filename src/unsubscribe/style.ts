import { css } from '../http/responses/html-document.js';
import { StaticFile } from '../http/responses/html-response.js';

export const STYLESHEET = new StaticFile(
  'text/css; charset=utf-8',
  css`
    :root {
      color-scheme: light dark;
      --page: #f3f4f6;
      --card: #ffffff;
      --text: #16191f;
      --quiet: #565d6b;
      --line: #dde0e6;
      --field: #767d8a;
      --accent: #1f4fd8;
      --accent-hover: #173fb0;
      --on-accent: #ffffff;
      --done: #1a7f4b;
      --button: #ffffff;
      --button-hover: #f0f1f4;
      --shadow: 0 1px 2px rgb(16 24 40 / 6%), 0 8px 24px rgb(16 24 40 / 6%);
    }

    @media (prefers-color-scheme: dark) {
      :root {
        --page: #101217;
        --card: #191c23;
        --text: #eceef2;
        --quiet: #a6adbb;
        --line: #2e333d;
        --field: #7f8796;
        --accent: #8fb0ff;
        --accent-hover: #b1c8ff;
        --on-accent: #0d1526;
        --done: #5fcf95;
        --button: #22262f;
        --button-hover: #2c313c;
        --shadow: none;
      }
    }

    * {
      box-sizing: border-box;
    }

    html {
      -webkit-text-size-adjust: 100%;
      text-size-adjust: 100%;
    }

    body {
      margin: 0;
      background: var(--page);
      color: var(--text);
      font-family: system-ui, sans-serif;
      line-height: 1.55;
    }

    main {
      max-width: 34rem;
      margin: 0 auto;
      padding: clamp(1rem, 6vh, 4.5rem) 1rem 3rem;
      overflow-wrap: anywhere;
    }

    .sender {
      margin: 0 0 1.25rem;
      padding: 0 0.25rem;
      font-weight: 600;
    }

    section {
      padding: clamp(1.25rem, 5vw, 2.25rem);
      background: var(--card);
      border: 1px solid var(--line);
      border-radius: 0.75rem;
      box-shadow: var(--shadow);
    }

    section + section {
      margin-top: 1.25rem;
    }

    h1,
    h2 {
      margin: 0 0 0.75rem;
      line-height: 1.25;
      letter-spacing: -0.01em;
    }

    h1 {
      font-size: clamp(1.4rem, 5.5vw, 1.75rem);
    }

    h2 {
      font-size: 1.15rem;
    }

    p {
      margin: 0;
    }

    .mark {
      display: block;
      width: 2.5rem;
      margin-bottom: 1rem;
      fill: var(--done);
      stroke: none;
    }

    .mark path {
      fill: none;
      stroke: var(--card);
      stroke-width: 3;
      stroke-linecap: round;
      stroke-linejoin: round;
    }

    p + p {
      margin-top: 0.5rem;
    }

    [role='status']:focus {
      outline: none;
    }

    .hint {
      color: var(--quiet);
      font-size: 0.9rem;
    }

    section > form {
      margin-top: 1.5rem;
    }

    .undo {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.75rem 1rem;
      padding-top: 1.25rem;
      border-top: 1px solid var(--line);
      color: var(--quiet);
    }

    button {
      min-height: 2.75rem;
      padding: 0.5rem 1.25rem;
      border: 1px solid var(--field);
      border-radius: 0.5rem;
      background: var(--button);
      color: var(--text);
      font: inherit;
      font-weight: 600;
      cursor: pointer;
    }

    button:hover {
      background: var(--button-hover);
    }

    .primary {
      border-color: var(--accent);
      background: var(--accent);
      color: var(--on-accent);
    }

    .primary:hover {
      border-color: var(--accent-hover);
      background: var(--accent-hover);
    }

    fieldset {
      margin: 0 0 1.5rem;
      padding: 0;
      border: 0;
      min-width: 0;
    }

    legend {
      padding: 0;
      margin-bottom: 0.5rem;
      color: var(--quiet);
    }

    .choice {
      display: grid;
      grid-template-columns: auto 1fr;
      align-items: start;
    }

    .choice + .choice {
      border-top: 1px solid var(--line);
    }

    .choice > div {
      padding: 0.75rem 0 0.75rem 0.75rem;
    }

    .choice label {
      display: block;
      font-weight: 500;
      cursor: pointer;
    }

    .choice.everything {
      margin-top: 0.75rem;
      border-top: 2px solid var(--line);
    }

    input[type='checkbox'] {
      width: 1.5rem;
      height: 1.5rem;
      margin: 0.75rem 0 0;
      accent-color: var(--accent);
      cursor: pointer;
    }

    ul {
      display: flex;
      flex-wrap: wrap;
      gap: 0.25rem 1.25rem;
      margin-top: 1.5rem;
      padding: 0 0.25rem;
      list-style: none;
    }

    a {
      color: inherit;
    }

    :is(a, button, input):focus-visible {
      outline: 3px solid var(--accent);
      outline-offset: 2px;
    }

    @media (max-width: 26rem) {
      button {
        width: 100%;
      }
    }

    @media (forced-colors: active) {
      section,
      button {
        border-color: CanvasText;
      }
    }
  `,
);
