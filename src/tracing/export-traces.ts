import { setTimeout as delay } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { TRACER, useTracer } from './tracing.js';

/** A collector that does not respond must not delay the end of the instance until its supervisor kills it. */
const LAST_EXPORT_MS = 2_000;

/**
 * Exports traces to the collector at `OTEL_EXPORTER_OTLP_ENDPOINT`, by OTLP over HTTP. The SDK reads the other standard
 * variables itself: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`.
 *
 * @returns a function that sends the remaining spans and stops
 */
export function exportTraces(): () => Promise<void> {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': TRACER }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  useTracer(provider.getTracer(TRACER));
  return async () => {
    useTracer(undefined);
    await Promise.race([provider.shutdown().catch(() => undefined), delay(LAST_EXPORT_MS)]);
  };
}
