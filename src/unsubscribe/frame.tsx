import type { IncomingMessage } from 'node:http';
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../http/errors/api-error.js';
import { HtmlDocument } from '../http/responses/html-document.js';
import { ICON } from './icon.js';
import { LanguageLinks } from './language-links.js';
import { languageOf, messagesIn, type Language } from './texts/languages.js';
import { STYLESHEET } from './style.js';

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

/** The page for every error. Only a POST can have changed anything. */
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

/** For mail programs, which show nothing of it. It is the same for a link that does not exist. */
export function OneClickPage({ language }: Pick<Viewer, 'language'>) {
  const { oneClick } = messagesIn(language);
  return (
    <HtmlDocument lang={language} title={oneClick}>
      <p>{oneClick}</p>
    </HtmlDocument>
  );
}
