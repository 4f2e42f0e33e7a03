import { readFileSync } from 'node:fs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Method = (typeof METHODS)[number];

type Content = Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;

/** The parts of an operation that tests read. */
export interface Operation {
  /** Its method and path, as `GET /suppressions`. */
  name: string;
  method: Method;
  path: string;
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters: {
    name: string;
    in: string;
    required?: boolean;
    schema: { example?: unknown; format?: string };
  }[];
  requestBody?: { content: Content };
  responses: Record<string, DocumentedResponse>;
}

export interface DocumentedResponse {
  description: string;
  content?: Content;
  headers?: Record<string, unknown>;
}

type PathItem = Partial<
  Record<Method, Omit<Operation, 'name' | 'method' | 'path' | 'responses'> & Unresolved>
>;

interface Unresolved {
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}

export interface OpenApiDocument {
  tags: { name: string }[];
  paths: Record<string, PathItem>;
  components: { responses: Record<string, DocumentedResponse> };
}

/** The committed document. */
export function readOpenApiDocument(): OpenApiDocument {
  return JSON.parse(readFileSync('openapi.json', 'utf8'));
}

/** All operations with their responses resolved, in the order in which Swagger UI shows them. */
export function operationsOf({ tags, paths, components }: OpenApiDocument): Operation[] {
  const resolve = (response: DocumentedResponse | { $ref: string }) =>
    '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : response;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) =>
      Object.assign({ name: `${method.toUpperCase()} ${path}`, method, path }, item[method]!, {
        responses: Object.fromEntries(
          Object.entries(item[method]!.responses).map(([status, response]) => [status, resolve(response)]),
        ),
      }),
    ),
  );
  const group = ({ tags: [tag] = [] }: Operation) => tags.findIndex(({ name }) => name === tag);
  return operations.toSorted((a, b) => group(a) - group(b));
}

/** Every example of a body; the first is the one that Swagger UI fills in. */
export function examplesIn(content: Content = {}): unknown[] {
  return Object.values(content).flatMap(({ example, examples = {} }) =>
    example === undefined ? Object.values(examples).map(({ value }) => value) : [example],
  );
}
