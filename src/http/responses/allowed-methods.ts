import type { Application } from 'express';

/** The part of a layer of Express's router that tells which paths and methods it serves. */
interface Layer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** The methods that a path has, for the `Allow` header (RFC 9110, section 10.2.1); none where no route has the path. */
export function allowedMethods(app: Application, path: string): string[] {
  const routes = (app.router.stack as unknown as Layer[]).filter(({ route }) => route);
  const methods = routes
    .filter((layer) => matches(layer, path))
    .flatMap(({ route }) => Object.keys(route!.methods));
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has('GET')) {
    names.add('HEAD');
  }
  return [...names].sort();
}

/** A path whose percent-encoding is malformed makes Express throw: it is a path that no route has. */
function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
