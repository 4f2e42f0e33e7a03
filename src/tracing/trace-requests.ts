import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ROOT_CONTEXT, SpanKind, context, propagation, trace, type Span } from '@opentelemetry/api';
import type { Request } from 'express';
import type { TracedRequest } from './trace-id.js';
import { TRACER, fail } from './tracing.js';

/**
 * Opens a span for each request, and continues the trace of its `traceparent`. Listeners of `request` cannot pass a context
 * on to the next one, so the event itself is emitted within it.
 */
export function traceRequests(server: Server): void {
  const tracer = trace.getTracer(TRACER);
  const emit = server.emit.bind(server) as (event: string, ...args: unknown[]) => boolean;
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request') {
      return emit(event, ...args);
    }
    const [request, response] = args as [TracedRequest, ServerResponse];
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = { 'http.request.method': request.method!, 'url.scheme': 'http' };
    const span = tracer.startSpan(request.method!, { kind: SpanKind.SERVER, attributes }, parent);
    request.traceId = span.spanContext().traceId;
    response.once('close', () => end(span, request, response));
    return context.with(trace.setSpan(parent, span), () => emit(event, ...args));
  };
}

/** The route pattern is known only at the end. The path is left out, since it may hold an address. */
function end(span: Span, request: IncomingMessage, response: ServerResponse): void {
  const route: string | undefined = (request as Request).route?.path;
  if (route !== undefined) {
    span.updateName(`${request.method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttribute('http.response.status_code', response.statusCode);
  if (!response.writableFinished) {
    fail(span, 'connection_closed');
  } else if (response.statusCode >= 500) {
    fail(span, String(response.statusCode));
  }
  span.end();
}
