import type { Point } from './series.ts'

/** One row for Azure Monitor, as plain data. */
export type Row = EventRow | LineRow | SpanRow

/** The trace and span that a row belongs to. */
export type RowTrace = { readonly traceId: string; readonly spanId: string }

export type EventRow = {
  readonly kind: 'event'
  /** The time of the event, in epoch milliseconds. */
  readonly at: number
  readonly name: string
  readonly properties: { readonly [name: string]: string }
  readonly measurements: { readonly [name: string]: number }
  readonly trace?: RowTrace
}

export type LineRow = {
  readonly kind: 'line'
  readonly at: number
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly properties: { readonly [name: string]: string }
  readonly trace?: RowTrace
}

export type SpanRow = {
  readonly kind: 'span'
  /** The start of the span, in epoch milliseconds. */
  readonly at: number
  readonly ms: number
  readonly name: string
  readonly id: string
  /** The trace and the parent span. */
  readonly trace: { readonly traceId: string; readonly spanId: string | undefined }
  readonly properties: { readonly [name: string]: string }
}

/** The result of a request: rows to send again, and how long to wait before the next request. */
export type Sent = {
  /** Indexes of the rows to send again. Rows that are neither here nor refused were accepted. */
  readonly again: readonly number[]
  /** The number of rows that will never be accepted. */
  readonly refused: number
  /** The wait that Azure Monitor asked for, in milliseconds. Absent if it gave none. */
  readonly retryAfter?: number
}

/** Sends to one resource of Azure Monitor. Never throws. */
export type Exporting = {
  rows(rows: readonly Row[]): Promise<Sent>
  /** All or none of the points are taken, or some are lost. */
  points(points: readonly Point[]): Promise<Sent>
}
