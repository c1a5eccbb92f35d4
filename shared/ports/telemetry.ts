import type { ProblemCode } from '../model/problem.ts'
import type { EventFields, EventName, MetricDimensions, MetricName, SpanFields, SpanName } from '../model/telemetryContract.ts'
import type { TraceParent } from '../model/trace.ts'
import type { EpochMs } from '../model/units.ts'

export type LogFields = { readonly [name: string]: string | number | boolean | undefined }

/** A stage of a trace. */
export type Span = { readonly trace: TraceParent; readonly from: EpochMs; readonly to: EpochMs; readonly fields: SpanFields }

/** Structured lines, measures, events and spans. What belongs to a trace says which. Names and units are in `shared/model/telemetryContract.ts`. Nothing here waits or throws. */
export interface Telemetry {
  debug(message: string, fields?: LogFields, trace?: TraceParent): void
  info(message: string, fields?: LogFields, trace?: TraceParent): void
  /** A fallback was taken. */
  warn(message: string, fields?: LogFields & { readonly code?: ProblemCode }, trace?: TraceParent): void
  /** A person must act. */
  error(message: string, fields?: LogFields & { readonly code?: ProblemCode }, trace?: TraceParent): void
  /** A duration in milliseconds, a count or a state. Fields beside the metric's dimensions are for the line only. */
  measure<Name extends MetricName>(name: Name, value: number, fields: MetricDimensions<Name> & LogFields): void
  /** Something happened that a person may want to count exactly. */
  event<Name extends EventName>(name: Name, fields: EventFields<Name>, trace?: TraceParent): void
  /** A stage is over. Told twice it is still one: its id comes from trace and name. One that ends before it starts took no time. */
  span(name: SpanName, span: Span): void
}
