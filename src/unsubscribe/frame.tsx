import type { IncomingMessage } from 'node:http';
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../http/errors/api-error.js';
import { HtmlDocument, StaticFile } from '../http/responses/html-response.js';
import { STYLESHEET } from './style.js';
import { LANGUAGE_PARAMETER, languageOf, LANGUAGES, messagesIn, type Language } from './texts/languages.js';

/** A letter. Without an icon, browsers ask for /favicon.ico. */
export const ICON = new StaticFile(
  'image/svg+xml',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#1f4fd8"/>
  <path d="M7 10h18v13H7zl9 7 9-7" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/>
</svg>
`,
);

export interface Viewer {
  language: Language;
  /** The path of the page. The URLs of the style sheet and the icon are relative to it, because a proxy may add a prefix. */
  path: string;
}

interface FrameProps extends Viewer {
  title: string;
  senderName?: string | null;
  children: ComponentChildren;
}

export function Frame({ language, path, title, senderName = null, children }: FrameProps) {
  return (
    <HtmlDocument
      lang={language}
      title={senderName === null ? title : `${title} · ${senderName}`}
      stylesheet={`${folderOf(path)}page.css${STYLESHEET.version}`}
      icon={`${folderOf(path)}icon.svg${ICON.version}`}
    >
      <main>
        {senderName !== null && <p class="sender">{senderName}</p>}
        {children}
        <LanguageLinks language={language} />
      </main>
    </HtmlDocument>
  );
}

/** The folder of the files, relative to `/u`, `/u/`, `/u/token`, or `/u/token/`. */
function folderOf(path: string): string {
  const depth = path.split('/').length - 3;
  return depth < 0 ? 'u/' : '../'.repeat(depth);
}

export function NotFoundPage({ language, path }: Viewer) {
  const { notFoundTitle, notFound } = messagesIn(language);
  return (
    <Frame language={language} path={path} title={notFoundTitle}>
      <section>
        <h1>{notFoundTitle}</h1>
        <p>{notFound}</p>
      </section>
    </Frame>
  );
}

/** The page for all errors. Only a POST may have changed anything. */
export function ProblemPage({ statusCode }: ApiError, request: IncomingMessage) {
  const language = languageOf(request);
  const { busyTitle, busy, failedTitle, failed, notShown } = messagesIn(language);
  const [title, unknown] = [429, 503].includes(statusCode) ? [busyTitle, busy] : [failedTitle, failed];
  const text = request.method === 'POST' ? unknown : notShown;
  return (
    <Frame language={language} path={request.url!.split('?')[0]!} title={title}>
      <section>
        <h1>{title}</h1>
        <p>{text}</p>
      </section>
    </Frame>
  );
}

/** The page for mail programs, which do not show it. It is the same for a link that does not exist. */
export function OneClickPage({ language }: Pick<Viewer, 'language'>) {
  const { oneClick } = messagesIn(language);
  return (
    <HtmlDocument lang={language} title={oneClick}>
      <p>{oneClick}</p>
    </HtmlDocument>
  );
}

/**
 * Links to the page in the other languages. They consist of a query, so they keep the token, and the forms, which have no
 * `action`, keep the query.
 */
function LanguageLinks({ language }: { language: Language }) {
  return (
    <nav class="hint" aria-label={messagesIn(language).languageOfPage}>
      <ul>
        {LANGUAGES.map((tag) => (
          <li key={tag} lang={tag}>
            {tag === language ? (
              <span aria-current="true">{messagesIn(tag).languageName}</span>
            ) : (
              <a href={`?${LANGUAGE_PARAMETER}=${tag}`} hreflang={tag}>
                {messagesIn(tag).languageName}
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
