import { domainOf, inUnicode, type EmailAddress } from '../email-address/email-address.js';
import type { ActionForm } from './action-form.js';
import { Frame, type Viewer } from './frame.js';
import type { PageState } from './preferences-page.service.js';
import { messagesIn } from './texts/languages.js';
import type { Messages } from './texts/en.js';

/** An action, or `nothing_selected` if a form to receive mailings again had no effect. */
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
  const otherReasons = texts.takenBack(maskAddress(state.link.recipient));
  const tellsReasons = state.isSuppressedOtherwise && !isOut && !state.needsSender && text !== otherReasons;
  return (
    <Frame language={language} path={path} title={title} senderName={state.senderName}>
      <section>
        {(isOut || done !== null) && <CheckMark />}
        <h1>{title}</h1>
        {done === null ? <p>{text}</p> : <Status text={text} />}
        {state.isUnsubscribed && <p class="hint">{texts.necessaryMail}</p>}
        {tellsReasons && <p class="hint">{otherReasons}</p>}
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
  { link, isUnsubscribed, isSuppressedOtherwise, isOptedOut }: PageState,
  done: UnsubscribePageProps['done'],
  texts: Messages,
): { title: string; text: string } {
  const email = maskAddress(link.recipient);
  const topic = link.topic && link.topic.name;
  if (done === 'nothing_selected' && isUnsubscribed) {
    return { title: texts.doneTitle, text: texts.nothingSelected };
  }
  const hasChosen = done === 'preferences' || (done === 'resubscribe' && !isSuppressedOtherwise);
  if (hasChosen && !isUnsubscribed) {
    return { title: texts.savedTitle, text: texts.saved(email) };
  }
  if (isUnsubscribed || isOptedOut) {
    return { title: texts.doneTitle, text: texts.done(email, isUnsubscribed ? null : topic) };
  }
  if (done !== null && isSuppressedOtherwise) {
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

/** Screen readers start here after a form was sent. */
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

interface PartProps {
  state: PageState;
  form: NonNullable<PageState['form']>;
  texts: Messages;
}

/**
 * The choice among the topics, or the way back for a recipient who gets no mailings. Browsers must not restore earlier ticks,
 * which would count as changed if the topics have changed meanwhile.
 */
function PreferencesForm({ state: { link, offered }, form, texts }: PartProps) {
  const email = maskAddress(link.recipient);
  const isWayBack = form === 'resubscribe';
  return (
    <section>
      <h2>{isWayBack ? texts.resubscribeTitle : texts.preferencesTitle}</h2>
      {isWayBack && <p>{texts.resubscribeText(email)}</p>}
      <form method="post" autocomplete="off">
        {(!isWayBack || offered.length > 0) && (
          <fieldset>
            <legend>{isWayBack ? texts.preferencesTitle : texts.preferences(email)}</legend>
            {offered.map(({ topic, subscription, chosenAt }) => {
              const isTicked = subscription === 'opt_in' && (!isWayBack || chosenAt !== null);
              return (
                <div class="choice" key={topic.id}>
                  <input type="hidden" name="shown" value={topic.id} />
                  <input type="hidden" name="shown_as" value={isTicked ? 'ticked' : 'unticked'} />
                  <Choice
                    name="topic"
                    value={topic.id}
                    label={topic.name}
                    hint={topic.description}
                    checked={isTicked}
                  />
                </div>
              );
            })}
            {!isWayBack && (
              <div class="choice everything">
                <Choice
                  name="everything"
                  value="yes"
                  label={texts.everything}
                  hint={texts.everythingHint}
                  checked={false}
                />
              </div>
            )}
          </fieldset>
        )}
        <button name="action" value={form}>
          {isWayBack ? texts.resubscribe : texts.save}
        </button>
      </form>
    </section>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  label: string;
  hint: string | null;
  checked: boolean;
}

function Choice({ name, value, label, hint, checked }: ChoiceProps) {
  const id = `${name}-${value}`;
  return (
    <>
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={checked}
        {...(hint !== null && { 'aria-describedby': `${id}-hint` })}
      />
      <div>
        <label for={id}>
          <bdi>{label}</bdi>
        </label>
        {hint !== null && (
          <p class="hint" id={`${id}-hint`}>
            <bdi>{hint}</bdi>
          </p>
        )}
      </div>
    </>
  );
}

/** Masks an address, so that its owner recognizes it, but people to whom the message was forwarded do not learn it. */
function maskAddress(email: EmailAddress): string {
  const [first] = email;
  return `${first}•••@${inUnicode(domainOf(email))}`;
}
