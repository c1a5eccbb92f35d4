import type { MetricDimensions, MetricName } from '../model/metrics.ts'
import type { ProblemCode } from '../model/problem.ts'
import type { EventFields, EventName, SpanFields, SpanName } from '../model/telemetryContract.ts'
import type { TraceParent } from '../model/trace.ts'
import type { EpochMs } from '../model/units.ts'

export type LogFields = { readonly [name: string]: string | number | boolean | undefined }

/** A stage of a trace. */
export type Span = { readonly trace: TraceParent; readonly from: EpochMs; readonly to: EpochMs; readonly fields: SpanFields }

/**
 * Structured log lines, metrics, events and spans. `trace` is the trace that an entry belongs to. `shared/model/telemetryContract.ts` defines names
 * and units. No call waits or throws.
 */
export interface Telemetry {
  debug(message: string, fields?: LogFields, trace?: TraceParent): void
  info(message: string, fields?: LogFields, trace?: TraceParent): void
  /** A fallback was taken. */
  warn(message: string, fields?: LogFields & { readonly code?: ProblemCode }, trace?: TraceParent): void
  /** A person must act. */
  error(message: string, fields?: LogFields & { readonly code?: ProblemCode }, trace?: TraceParent): void
  /** Records a duration in milliseconds, a count or a state. Fields that are not dimensions of the metric go to the log line only. */
  measure<Name extends MetricName>(name: Name, value: number, fields: MetricDimensions<Name> & LogFields): void
  /** Records something that a person may want to count exactly. */
  event<Name extends EventName>(name: Name, fields: EventFields<Name>, trace?: TraceParent): void
  /**
   * Records a stage that is over. Recording a stage twice gives one span, since its id is derived from trace and name. A stage that ends before it
   * starts has duration 0.
   */
  span(name: SpanName, span: Span): void
}
