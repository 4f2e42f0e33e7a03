import type { ActionForm } from './action-form.js';
import { Frame, type Viewer } from './frame.js';
import { maskAddress } from './mask-address.js';
import { messagesIn } from './texts/languages.js';
import type { Messages } from './texts/messages.js';
import type { PageState } from './preferences-page.service.js';
import { PreferencesForm } from './preferences-form.js';

/** An action, or that a form to receive mailings again had no effect. */
export type Done = ActionForm['action'] | 'nothing_selected';

interface UnsubscribePageProps extends Viewer {
  state: PageState;
  /** What the recipient has just done. */
  done: Done | null;
}

export function UnsubscribePage({ state, done, language, path }: UnsubscribePageProps) {
  const texts = messagesIn(language);
  const { title, text } = headlineOf(state, done, texts);
  const isOut = state.isUnsubscribed || state.isOptedOut;
  return (
    <Frame language={language} path={path} title={title} senderName={state.senderName}>
      <section>
        {(isOut || done !== null) && <CheckMark />}
        <h1>{title}</h1>
        {done === null ? <p>{text}</p> : <Status text={text} />}
        {state.isUnsubscribed && <p class="hint">{texts.necessaryMail}</p>}
        {!isOut && done === null && <UnsubscribeButton texts={texts} />}
        {state.canUndo && <UndoForm texts={texts} />}
        {state.needsSender && <p class="hint">{texts.askSender}</p>}
      </section>
      {state.form !== null && <PreferencesForm state={state} form={state.form} texts={texts} />}
    </Frame>
  );
}

/** The first sentence of the page: the question, or the current state. */
function headlineOf(
  { link, isUnsubscribed, isSuppressed, isOptedOut }: PageState,
  done: UnsubscribePageProps['done'],
  texts: Messages,
): { title: string; text: string } {
  const email = maskAddress(link.recipient);
  const topic = link.topic && link.topic.name;
  if (done === 'nothing_selected' && isUnsubscribed) {
    return { title: texts.doneTitle, text: texts.nothingSelected };
  }
  const hasChosen = done === 'preferences' || (done === 'resubscribe' && !isSuppressed);
  if (hasChosen && !isUnsubscribed) {
    return { title: texts.savedTitle, text: texts.saved(email) };
  }
  if (isUnsubscribed || isOptedOut) {
    return { title: texts.doneTitle, text: texts.done(email, isUnsubscribed ? null : topic) };
  }
  if (done !== null && isSuppressed) {
    return { title: texts.takenBackTitle, text: texts.takenBack(email) };
  }
  return done === null
    ? { title: texts.askTitle(topic), text: texts.ask(email, topic) }
    : { title: texts.undoneTitle, text: texts.undone(email, topic) };
}

function CheckMark() {
  return (
    <svg class="mark" viewBox="0 0 40 40" aria-hidden="true">
      <circle cx="20" cy="20" r="20" />
      <path d="M12 20.5l5.5 5.5L28.5 15" />
    </svg>
  );
}

/** Screen readers begin here after a form was sent. */
function Status({ text }: { text: string }) {
  return (
    <p role="status" tabIndex={-1} autofocus>
      {text}
    </p>
  );
}

function UnsubscribeButton({ texts }: { texts: Messages }) {
  return (
    <form method="post">
      <button class="primary" name="action" value="unsubscribe">
        {texts.unsubscribe}
      </button>
    </form>
  );
}

function UndoForm({ texts }: { texts: Messages }) {
  return (
    <form method="post" class="undo">
      <p>{texts.undoQuestion}</p>
      <button name="action" value="undo">
        {texts.undo}
      </button>
    </form>
  );
}
