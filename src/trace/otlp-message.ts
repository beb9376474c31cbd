// Spans in the form of OTLP: a message of protobuf for gRPC, JSON for HTTP.

import { ProtobufWriter } from '../codec/protobuf/writer.ts';
import type { SpanAttributes, SpanKind } from '../meta/request-notes.ts';
import type { FinishedSpan } from './request-trace.ts';
import type { TraceSpans } from './tracer.ts';

const scopeName = 'keelson';

const kindNumbers: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const errorCode = 2;
/** Flags of a span: sampled, with the knowledge that its parent may be remote. */
const sampledFlag = 1;

type Value = string | number | boolean;

/** Microseconds are exact; the standard counts nanoseconds. */
const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;

const idBytes = (id: string): Uint8Array => Buffer.from(id, 'hex');

/** An ExportTraceServiceRequest. */
export function encodeSpans(resource: SpanAttributes, traces: readonly TraceSpans[]): Buffer {
  return new ProtobufWriter()
    .message(1, (resourceSpans) => {
      resourceSpans.message(1, (about) => writeAttributes(about, 1, resource));
      resourceSpans.message(2, (scopeSpans) => {
        scopeSpans.message(1, (scope) => scope.string(1, scopeName));
        for (const trace of traces)
          for (const span of trace.spans) scopeSpans.message(2, (message) => writeSpan(message, trace, span));
      });
    })
    .finish();
}

function writeSpan(to: ProtobufWriter, { traceId, state }: TraceSpans, span: FinishedSpan): void {
  to.bytes(1, idBytes(traceId)).bytes(2, idBytes(span.spanId));
  if (state !== undefined) to.string(3, state);
  if (span.parentId !== undefined) to.bytes(4, idBytes(span.parentId));
  to.string(5, span.name).integer(6, kindNumbers[span.kind]);
  to.fixed64(7, nanoseconds(span.beganAt)).fixed64(8, nanoseconds(span.endedAt));
  writeAttributes(to, 9, span.attributes);
  for (const { name, at, attributes = {} } of span.events)
    to.message(11, (event) => {
      event.fixed64(1, nanoseconds(at)).string(2, name);
      writeAttributes(event, 3, attributes);
    });
  const { link, failure } = span;
  if (link !== undefined) to.message(13, (one) => one.bytes(1, idBytes(link.traceId)).bytes(2, idBytes(link.spanId)));
  if (failure !== undefined) to.message(15, (status) => status.string(2, failure).integer(3, errorCode));
  to.fixed32(16, sampledFlag);
}

function writeAttributes(to: ProtobufWriter, number: number, attributes: SpanAttributes): void {
  for (const [key, value] of Object.entries(attributes))
    to.message(number, (pair) => pair.string(1, key).message(2, (any) => writeValue(any, value)));
}

function writeValue(to: ProtobufWriter, value: Value): void {
  if (typeof value === 'string') to.string(1, value);
  else if (typeof value === 'boolean') to.bool(2, value);
  else if (Number.isSafeInteger(value)) to.integer(3, value);
  else to.double(4, value);
}

/** The JSON form of the same message. */
export function spansAsJson(resource: SpanAttributes, traces: readonly TraceSpans[]): object {
  const spans = traces.flatMap((trace) => trace.spans.map((span) => spanAsJson(trace, span)));
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesAsJson(resource) },
        scopeSpans: [{ scope: { name: scopeName }, spans }],
      },
    ],
  };
}

function spanAsJson({ traceId, state }: TraceSpans, span: FinishedSpan): object {
  const { spanId, parentId, name, kind, link, failure, attributes, events } = span;
  return {
    traceId,
    spanId,
    ...(state === undefined ? {} : { traceState: state }),
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: kindNumbers[kind],
    startTimeUnixNano: String(nanoseconds(span.beganAt)),
    endTimeUnixNano: String(nanoseconds(span.endedAt)),
    attributes: attributesAsJson(attributes),
    events: events.map((event) => ({
      timeUnixNano: String(nanoseconds(event.at)),
      name: event.name,
      attributes: attributesAsJson(event.attributes ?? {}),
    })),
    ...(link === undefined ? {} : { links: [{ traceId: link.traceId, spanId: link.spanId }] }),
    ...(failure === undefined ? {} : { status: { code: errorCode, message: failure } }),
    flags: sampledFlag,
  };
}

const attributesAsJson = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueAsJson(value) }));

function valueAsJson(value: Value): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
