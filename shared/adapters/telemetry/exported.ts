import type { Point } from './series.ts'

/** One row for Azure Monitor, as plain data: the package that sends it is loaded later. */
export type Row = EventRow | LineRow | SpanRow

/** What it belongs to. */
export type RowTrace = { readonly traceId: string; readonly spanId: string }

export type EventRow = {
  readonly kind: 'event'
  /** Epoch milliseconds. */
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
  /** Its start. */
  readonly at: number
  readonly ms: number
  readonly name: string
  readonly id: string
  /** Its trace and parent. */
  readonly trace: { readonly traceId: string; readonly spanId: string | undefined }
  readonly properties: { readonly [name: string]: string }
}

/** What became of a request: rows that are to be sent again, and how long to leave Azure Monitor alone. */
export type Sent = {
  /** Places in what was given. Those neither here nor refused were taken. */
  readonly again: readonly number[]
  /** Rows that it will never take. */
  readonly refused: number
  /** Milliseconds. Absent: it did not say. */
  readonly retryAfter?: number
}

/** Sends to one resource of Azure Monitor. Never throws. */
export type Exporting = {
  rows(rows: readonly Row[]): Promise<Sent>
  /** All or none of the points are taken, or some are lost. */
  points(points: readonly Point[]): Promise<Sent>
}
