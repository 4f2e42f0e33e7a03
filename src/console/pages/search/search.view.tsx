import type { JSX } from 'preact';
import { ConsolePage, type PageProps } from '../../components/console-page.js';

export function SearchPage(props: PageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Search" section="/console">
      <p>Soon</p>
    </ConsolePage>
  );
}
