import { maskAddress } from './mask-address.js';
import type { Messages } from './texts/messages.js';
import type { PageState } from './preferences-page.service.js';

interface PartProps {
  state: PageState;
  form: NonNullable<PageState['form']>;
  texts: Messages;
}

/** The choice among the topics, or the way back for a recipient who gets no mailings. */
export function PreferencesForm({ state: { link, offered }, form, texts }: PartProps) {
  const email = maskAddress(link.recipient);
  const isWayBack = form === 'resubscribe';
  return (
    <section>
      <h2>{isWayBack ? texts.resubscribeTitle : texts.preferencesTitle}</h2>
      {isWayBack && <p>{texts.resubscribeText(email)}</p>}
      <form method="post">
        {(!isWayBack || offered.length > 0) && (
          <fieldset>
            <legend>{isWayBack ? texts.preferencesTitle : texts.preferences(email)}</legend>
            {offered.map(({ topic, subscription, chosenAt }) => (
              <div class="choice" key={topic.id}>
                <input type="hidden" name="shown" value={topic.id} />
                <Choice
                  name="topic"
                  value={topic.id}
                  label={topic.name}
                  hint={topic.description}
                  checked={subscription === 'opt_in' && (!isWayBack || chosenAt !== null)}
                />
              </div>
            ))}
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
