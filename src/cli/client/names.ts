import { ApiProblem, type Api } from './api.js';

/** Resolves the ids of topics and rules to their names. An id that the API key may not read stays as it is. */
export class Names {
  private readonly cache = new Map<string, Promise<string>>();

  constructor(private readonly api: Api) {}

  topic(id: string): Promise<string> {
    return this.find(`/topics/${id}`, id, ({ key }) => key);
  }

  rule(id: string): Promise<string> {
    return this.find(`/rules/${id}`, id, ({ pattern }) => pattern);
  }

  private find(
    path: string,
    id: string,
    nameOf: (body: Record<string, string | undefined>) => string | undefined,
  ): Promise<string> {
    let name = this.cache.get(path);
    if (!name) {
      name = this.api.json<Record<string, string>>('GET', path).then(
        (body) => nameOf(body) ?? id,
        (problem: unknown) => {
          if (problem instanceof ApiProblem && problem.isRefusal) {
            return id;
          }
          throw problem;
        },
      );
      this.cache.set(path, name);
    }
    return name;
  }
}
