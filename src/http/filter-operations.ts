/** The part of an immutable collection of Swagger UI that is used here. */
interface Collection<Value> {
  get(key: string): unknown;
  getIn(path: string[]): unknown;
  set(key: string, value: unknown): this;
  map(change: (value: Value, key: string) => Value): this;
  filter(condition: (value: Value) => boolean): this;
  size: number;
}

interface System {
  React: { useEffect(effect: () => void): void; createElement(component: unknown, props: object): unknown };
}

/**
 * A plugin: the filter of Swagger UI finds operations by their method, path, and texts, and not only by their tag. The browser
 * runs it from its source, so it can use nothing outside of itself.
 */
export function filterOperations() {
  type Operation = Collection<unknown>;
  const opsFilter = (tags: Collection<Collection<unknown>>, phrase: string) => {
    const words = phrase.toLowerCase().split(/\s+/);
    return tags
      .map((tag, name) => {
        const operations = tag.get('operations') as Collection<Operation>;
        const hasWords = (operation: Operation) => {
          const texts = [['method'], ['path'], ['operation', 'summary'], ['operation', 'description']];
          const text = [name, ...texts.map((path) => operation.getIn(path))].join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        return tag.set('operations', operations.filter(hasWords));
      })
      .filter((tag) => (tag.get('operations') as Collection<Operation>).size > 0);
  };
  const withPlaceholder = (original: unknown, { React }: System) => {
    const placeholder = 'Filter by path, name, or text';
    const setPlaceholder = () =>
      document.querySelector('.operation-filter-input')?.setAttribute('placeholder', placeholder);
    return (props: object) => {
      React.useEffect(setPlaceholder);
      return React.createElement(original, props);
    };
  };
  return { fn: { opsFilter }, wrapComponents: { FilterContainer: withPlaceholder } };
}
