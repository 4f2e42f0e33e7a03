import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import type { Request } from 'express';

export const TRACER = 'suppression-list-service';

/** Undefined unless traces are exported. Without a tracer, a span costs one comparison. */
let tracer: Tracer | undefined;

export function useTracer(used: Tracer | undefined): void {
  tracer = used;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Runs work in a span. Attributes hold no address, since traces leave the service. */
export function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) {
    return work();
  }
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work();
    } catch (error) {
      fail(span, (error as Error).name);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed. The message of an error may quote an address, so only its name is kept. */
function fail(span: Span, errorName: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', errorName);
}

/** Headers for a request to another service, so that its spans join the current trace. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (tracer) {
    propagation.inject(context.active(), headers);
  }
  return headers;
}

interface TracedRequest extends IncomingMessage {
  traceId?: string;
}

/** Version, trace, parent and flags: W3C Trace Context, section 3.2. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

/** The trace id of a request: our own or, if traces are not exported, the caller's. */
export function traceIdOf({ traceId, headers }: TracedRequest): string | undefined {
  return traceId ?? TRACEPARENT.exec(String(headers.traceparent))?.[1];
}

/**
 * Opens a span for each request, and continues the trace of its `traceparent`. Listeners of `request` cannot pass a context on
 * to the next listener, so the event itself is emitted within the context.
 */
export function traceRequests(server: Server): void {
  const serverTracer = trace.getTracer(TRACER);
  const emit = server.emit.bind(server) as (event: string, ...args: unknown[]) => boolean;
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request') {
      return emit(event, ...args);
    }
    const [request, response] = args as [TracedRequest, ServerResponse];
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = { 'http.request.method': request.method!, 'url.scheme': 'http' };
    const span = serverTracer.startSpan(request.method!, { kind: SpanKind.SERVER, attributes }, parent);
    request.traceId = span.spanContext().traceId;
    response.once('close', () => end(span, request, response));
    return context.with(trace.setSpan(parent, span), () => emit(event, ...args));
  };
}

/** Ends a span. The route pattern is known only now. The path is omitted, since it may contain an address. */
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
