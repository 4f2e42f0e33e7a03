import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';

interface MarkdownProps {
  /** As returned by `lexer` of marked, which reads GitHub-flavored Markdown. */
  tokens: readonly Token[];
  /** The URL that a link or an image leads to. If undefined, only its text is shown. */
  urlOf(href: string): string | undefined;
}

/** Renders Markdown. HTML in it is shown as text; comments are omitted. */
export function Markdown({ tokens, urlOf }: MarkdownProps) {
  const headings = tokens.filter(({ type }) => type === 'heading') as Tokens.Heading[];
  const anchors = anchorsOf(headings.map(({ text }) => text));
  return (
    <>
      {tokens.map((token, index) => (
        <Element
          key={index}
          token={token as MarkedToken}
          anchor={anchors[headings.indexOf(token as Tokens.Heading)]}
          urlOf={urlOf}
        />
      ))}
    </>
  );
}

interface ElementProps {
  token: MarkedToken;
  /** The anchor of a heading. */
  anchor: string | undefined;
  urlOf: MarkdownProps['urlOf'];
}

function Element({ token, anchor, urlOf }: ElementProps): ComponentChildren {
  const inside = (tokens: readonly Token[] = []) => <Markdown tokens={tokens} urlOf={urlOf} />;
  switch (token.type) {
    case 'heading': {
      const Heading = `h${token.depth}` as 'h1';
      return <Heading id={anchor}>{inside(token.tokens)}</Heading>;
    }
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>;
    case 'list': {
      const items = token.items.map((item, index) => <li key={index}>{inside(item.tokens)}</li>);
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <Table table={token} inside={inside} />;
    case 'code':
      return <pre>{token.text}</pre>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>;
    case 'em':
      return <em>{inside(token.tokens)}</em>;
    case 'link': {
      const url = urlOf(token.href);
      return url === undefined ? inside(token.tokens) : <a href={url}>{inside(token.tokens)}</a>;
    }
    case 'image':
      return <img src={urlOf(token.href)} alt={token.text} />;
    case 'html':
      return token.text.startsWith('<!--') ? null : token.text;
    case 'text':
      return token.tokens ? inside(token.tokens) : token.text;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
}

interface GuideTableProps {
  table: Tokens.Table;
  inside(tokens: readonly Token[]): ComponentChildren;
}

/** Looks like a `Table` of the console, whose columns cannot have the same name. */
function Table({ table: { header, rows }, inside }: GuideTableProps) {
  const canStack = header.length > 2;
  return (
    <div class="scroll" role="group" aria-label={header.map(({ text }) => text).join(', ')} tabIndex={0}>
      <table class={canStack ? (header.length > 4 ? 'many' : 'few') : undefined}>
        <thead>
          <tr>
            {header.map(({ text, tokens }, index) =>
              text === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col">
                  {inside(tokens)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...others], index) => (
            <tr key={index}>
              <th scope="row">{inside(first!.tokens)}</th>
              {others.map(({ tokens }, column) => (
                <td key={column} data-label={canStack ? plainText(header[column + 1]!.text) : undefined}>
                  <span>{inside(tokens)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The text without the marks of inline code. */
export function plainText(text: string): string {
  return text.replaceAll('`', '');
}

/** The anchors that GitHub gives to the headings of a page: repeated ones are numbered. */
function anchorsOf(headings: string[]): string[] {
  const anchors = new Set<string>();
  for (const heading of headings) {
    const first = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = first;
    for (let number = 1; anchors.has(anchor); number++) {
      anchor = `${first}-${number}`;
    }
    anchors.add(anchor);
  }
  return [...anchors];
}
