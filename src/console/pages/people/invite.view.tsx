import type { JSX } from 'preact';
import { textOf, type Fields } from '../../access/fields.js';
import { Input, Select } from '../../components/form.js';
import type { Role } from '../../people/roles.js';

const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: may look at everything' },
  {
    value: 'editor',
    label: 'Editor: also changes suppressions, topics, rules, and imports; pauses sources; tests webhooks',
  },
  {
    value: 'admin',
    label:
      'Admin: also changes API keys, people, settings, and secrets; creates and deletes sources and webhooks',
  },
];

const INVITED_ROLES = [{ value: '', label: 'Keep the current role (new people become viewers)' }, ...ROLES];

export function InviteCard({ entered }: { entered: Fields | undefined }): JSX.Element {
  return (
    <section class="card" id="invite">
      <h2>Invite</h2>
      <p class="muted">
        You get a link that signs the person in once. Anyone who has it acts in that person's name, so you can
        make one only until the first sign-in; later ones come from the operator of this service.
      </p>
      <form class="form" method="post" action="/console/people">
        <Input name="email" label="Address" type="email" value={textOf(entered, 'email')} required />
        <Select name="role" label="Role" value={textOf(entered, 'role')} choices={INVITED_ROLES} />
        <button class="primary" type="submit">
          Make a link
        </button>
      </form>
    </section>
  );
}
