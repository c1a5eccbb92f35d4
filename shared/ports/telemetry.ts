import type { ProblemCode } from '../model/problem.ts'

export type LogFields = { readonly [name: string]: string | number | boolean | undefined }

/** Structured lines and measures. Names and units are listed in docs/operations.md. */
export interface Telemetry {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** A fallback was taken. */
  warn(message: string, fields?: LogFields & { readonly code?: ProblemCode }): void
  /** A person must act. */
  error(message: string, fields?: LogFields & { readonly code?: ProblemCode }): void
  /** A duration in milliseconds or a count, by stage or outcome. */
  measure(name: string, value: number, fields?: LogFields): void
}
