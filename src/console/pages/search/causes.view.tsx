import type { Cause } from '../../../ledger/cause.js';
import type { CauseDetails } from '../../../suppressions/suppression-lookup.js';
import { Card, minuteOf, TwoTimestamps } from '../../components/content.js';
import { DetailsForm } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { CAUSE_NAMES } from '../../components/words.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { ConsentFields, mayLift, needsConsent } from '../../components/consent.js';

/** The code of an SMTP reply (RFC 5321, section 4.2) or a status code (RFC 3463). */
const SERVER_RESPONSE = /(?:^|\s)[245](?:\d\d|\.\d{1,3}\.\d{1,3})\b/;

interface CausesProps {
  answer: AddressAnswer;
  visitor: Visitor;
}

/** Why an address is on the list, with the forms that lift it. */
export function Causes({ answer, visitor }: CausesProps) {
  const { causes, suppression } = answer.record!;
  const { email, isGuarded } = answer;
  const all = causes.map(({ cause }) => cause);
  const heldUntil = answer.any.flatMap((match) => (match.type === 'suppression' && match.heldUntil) || [])[0];
  return (
    <Card title={causes.length === 1 ? 'Cause' : `${causes.length} causes`}>
      <ul class="timeline">
        {causes.map(({ cause, since, recordedAt, note, emailId }) => (
          <li key={cause}>
            <p>
              <strong>{CAUSE_NAMES[cause]}</strong>{' '}
              <span class="muted">
                since <TwoTimestamps at={since} other={recordedAt} verb="recorded" />
              </span>
            </p>
            {note && (
              <p class={SERVER_RESPONSE.test(note) ? 'mono' : undefined} dir="auto">
                {note}
              </p>
            )}
            {cause === 'bounce' && heldUntil && (
              <p>
                Held because of <a href="/console/incidents">an incident</a>, until{' '}
                {minuteOf(new Date(heldUntil))}.
              </p>
            )}
            {emailId && (
              <p class="muted">
                Email <span class="mono">{emailId}</span>
              </p>
            )}
            {causes.length > 1 && mayLift(visitor, [cause], isGuarded) && (
              <LiftForm
                email={email}
                causes={causes.filter((listed) => listed.cause === cause)}
                isGuarded={isGuarded}
                label={`Lift only: ${CAUSE_NAMES[cause]}`}
              />
            )}
          </li>
        ))}
      </ul>
      {mayLift(visitor, all, isGuarded) && (
        <LiftForm
          email={email}
          causes={causes}
          isGuarded={isGuarded}
          label={causes.length > 1 ? 'Lift all causes' : 'Lift this suppression'}
        />
      )}
      <WhoMayLift visitor={visitor} causes={all} isGuarded={isGuarded} />
      <p class="muted">
        Suppression <span class="mono">{suppression.id}</span>
      </p>
    </Card>
  );
}

interface WhoMayLiftProps {
  visitor: Visitor;
  causes: readonly Cause[];
  isGuarded: boolean;
}

/** Says who may lift these causes, unless everybody who sees the forms may. */
function WhoMayLift({ visitor, causes, isGuarded }: WhoMayLiftProps) {
  if (!isGuarded && visitor.isEditor) {
    return null;
  }
  return (
    <p>
      {isGuarded ? (
        <>
          This account guards removals (see <a href="/console/settings">Settings</a>). An editor lifts what
          was added by hand, and a bounce with a note. Only an admin lifts a spam complaint or an unsubscribe,
          with a record of the recipient’s consent.
        </>
      ) : (
        'An editor or an admin can lift this.'
      )}
      {!mayLift(visitor, causes, isGuarded) && (
        <>
          {' '}
          Your role is {visitor.role}: <a href="/console/people">People</a> lists whom you can ask.
        </>
      )}
    </p>
  );
}

interface LiftFormProps {
  email: string;
  causes: readonly CauseDetails[];
  /** Whether the account guards removals. */
  isGuarded: boolean;
  label: string;
}

/** Lifts causes. In an account that guards removals, it asks for the required evidence. */
function LiftForm({ email, causes: shown, isGuarded, label }: LiftFormProps) {
  const causes = shown.map(({ cause }) => cause);
  const key = causes.join('-');
  return (
    <DetailsForm
      label={label}
      action="/console/lift"
      submit="Lift"
      tone="danger"
      hidden={{ email, cause: shown.map(shownCause) }}
    >
      {isGuarded && needsConsent(causes) && <ConsentFields id={key} label="Evidence for lifting" required />}
      <Input
        id={`note-${key}`}
        name="note"
        label="Note"
        hint="Who asked, and how, such as a case number or a call."
        maxLength={1000}
        required={isGuarded && causes.includes('bounce')}
      />
    </DetailsForm>
  );
}

/** A cause as the form sends it: with the time at which it was recorded, to tell it from a later one. */
export function shownCause({ cause, recordedAt }: CauseDetails): string {
  return `${cause} ${recordedAt.toISOString()}`;
}
