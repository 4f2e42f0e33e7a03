import type { JSX } from 'preact';
import { maskAddress } from './mask-address.js';
import type { Messages } from './texts/messages.js';
import type { PageState } from './preferences-page.service.js';

interface PartProps {
  state: PageState;
  texts: Messages;
}

/** The choice among the topics, or the way back for a recipient who gets no mailings. */
export function PreferencesForm({ state: { link, offered, isUnsubscribed }, texts }: PartProps): JSX.Element {
  const email = maskAddress(link.email);
  return (
    <section>
      <h2>{isUnsubscribed ? texts.resubscribeTitle : texts.preferencesTitle}</h2>
      {isUnsubscribed && <p>{texts.resubscribeText(email)}</p>}
      <form method="post">
        {(!isUnsubscribed || offered.length > 0) && (
          <fieldset>
            <legend>{isUnsubscribed ? texts.preferencesTitle : texts.preferences(email)}</legend>
            {offered.map(({ topic, subscription }) => (
              <div class="choice" key={topic.id}>
                <input type="hidden" name="shown" value={topic.id} />
                <Choice
                  name="topic"
                  value={topic.id}
                  label={topic.name}
                  hint={topic.description}
                  checked={subscription === 'opt_in'}
                />
              </div>
            ))}
            {!isUnsubscribed && (
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
        <button name="action" value={isUnsubscribed ? 'resubscribe' : 'preferences'}>
          {isUnsubscribed ? texts.resubscribe : texts.save}
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

function Choice({ name, value, label, hint, checked }: ChoiceProps): JSX.Element {
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
        <label for={id}>{label}</label>
        {hint !== null && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </>
  );
}
