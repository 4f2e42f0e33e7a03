import { readFileSync } from 'node:fs';

const PAGE = 'docs/mail-servers.md';

/** The configuration that the page of a mail server shows, block by block. */
export function configurationOf(heading: string): string[] {
  const [, section] =
    new RegExp(`^#+ ${heading}\\n(.*?)(?=^## |^### |(?![^]))`, 'ms').exec(readFileSync(PAGE, 'utf8')) ?? [];
  const blocks = [...section!.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block]) => block!);
  if (blocks.length === 0) {
    throw new Error(`${PAGE} has no configuration below ${heading}`);
  }
  return blocks;
}
