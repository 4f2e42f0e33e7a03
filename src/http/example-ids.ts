/** The part of the requests and responses of Swagger UI that is used here. */
interface Exchange {
  url: string;
  headers?: Record<string, string>;
  obj?: unknown;
}

type Browser = typeof globalThis & { idsByObject?: Record<string, string> };

/*
 * The examples in the documentation name objects by fixed ids, which no account has. These functions let the examples run
 * from the top of the page to the end: an example id stands for the last object of its kind. Swagger UI runs them in the
 * browser from their source, so they can use nothing outside of themselves.
 */

/** A `responseInterceptor`: remembers the id of the object in a response. */
export function rememberId(response: Exchange): Exchange {
  const ids = ((globalThis as Browser).idsByObject ??= {});
  const { object, id } = (response.obj ?? {}) as { object?: string; id?: string };
  if (object && id) {
    ids[object] = id;
  }
  const scrub = response.headers?.['scrub-id'];
  if (scrub) {
    ids.scrub = scrub;
  }
  return response;
}

/** A `requestInterceptor`: replaces example ids, as in `/imports/0198a5f4-…`, which all begin alike. */
export function fillInId(request: Exchange): Exchange {
  const ids = (globalThis as Browser).idsByObject ?? {};
  request.url = request.url.replace(
    /\/([\w-]+)s\/0198a5f[0-9a-f-]{29}(?=[/?]|$)/g,
    (path: string, segment: string) => {
      const object = segment.replace('-', '_');
      const id = ids[object] ?? ids[`webhook_${object}`] ?? ids[`provider_list_${object}`];
      return id === undefined ? path : `/${segment}s/${id}`;
    },
  );
  return request;
}
