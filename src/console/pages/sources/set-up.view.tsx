import type { Provider } from '../../../inbound/providers/provider.js';
import { Card } from '../../components/card.js';
import { Form } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { capitalized } from '../../components/words.js';
import { secretLabel } from './source-words.js';

interface SetUpProps {
  /** Of the source's page. */
  path: string;
  /** The URL that receives events; null if the person may not see it. */
  url: string | null;
  /** Null for the source of posted events. */
  provider: Provider | null;
  isAdmin: boolean;
}

/** How to set up the provider of a source. */
export function SetUp({ path, url, provider, isAdmin }: SetUpProps) {
  const secrets = provider?.secrets.filter(({ generatedBy }) => generatedBy === 'provider') ?? [];
  return (
    <Card title="Set up">
      {url && <p class="copy">{url}</p>}
      {provider && (
        <ol class="steps">
          {provider.setup.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {isAdmin &&
        secrets.map(({ name, description }) => (
          <Form key={name} action={`${path}/secret`} submit="Save the secret" tone="plain" hidden={{ name }}>
            <Input
              id={`secret-${name}`}
              name="value"
              label={capitalized(secretLabel(name))}
              hint={description}
              type="password"
              required
            />
          </Form>
        ))}
    </Card>
  );
}
