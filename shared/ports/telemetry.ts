import type { ProblemCode } from '../model/problem.ts'
import type { EventFields, EventName, MetricDimensions, MetricName } from '../model/telemetryContract.ts'

export type LogFields = { readonly [name: string]: string | number | boolean | undefined }

/** Structured lines, measures and events. Names and units are in `shared/model/telemetryContract.ts`. Nothing here waits or throws. */
export interface Telemetry {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** A fallback was taken. */
  warn(message: string, fields?: LogFields & { readonly code?: ProblemCode }): void
  /** A person must act. */
  error(message: string, fields?: LogFields & { readonly code?: ProblemCode }): void
  /** A duration in milliseconds, a count or a state. Fields beside the metric's dimensions are for the line only. */
  measure<Name extends MetricName>(name: Name, value: number, fields: MetricDimensions<Name> & LogFields): void
  /** Something happened that a person may want to count exactly. */
  event<Name extends EventName>(name: Name, fields: EventFields<Name>): void
}
