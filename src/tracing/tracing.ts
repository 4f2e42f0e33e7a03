import {
  SpanStatusCode,
  context,
  propagation,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';

export const TRACER = 'suppression-list-service';

/** Undefined unless traces are exported. Without it, a span costs one comparison. */
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
export function fail(span: Span, errorName: string): void {
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
