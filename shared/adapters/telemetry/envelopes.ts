// Rows in the form of Azure Monitor's ingestion: https://github.com/microsoft/ApplicationInsights-Home/tree/master/EndpointSpecs/Schemas (November 2026).
import { METRICS } from '../../model/metrics.ts'
import type { Row, RowTrace } from './exported.ts'
import type { Point } from './series.ts'

/** The component that takes the rows, and the process that sends them. */
export type Sender = { readonly instrumentationKey: string; readonly role: string; readonly instance: string }

export type Envelope = {
  readonly ver: 1
  readonly name: string
  readonly time: string
  readonly iKey: string
  /** Every row is sampled, because half a trace explains nothing. */
  readonly sampleRate: 100
  readonly tags: { readonly [tag: string]: string }
  readonly data: { readonly baseType: string; readonly baseData: { readonly ver: 2; readonly [field: string]: unknown } }
}

const DAY_MS = 24 * 3_600_000

export function envelopeOf(row: Row, sender: Sender): Envelope {
  const { properties } = row
  const as = (type: string, fields: object): Envelope =>
    envelope(sender, { at: row.at, trace: row.trace, type, fields: { ...fields, properties } })
  switch (row.kind) {
    case 'event':
      return as('Event', { name: row.name, measurements: row.measurements })
    case 'line':
      return as('Message', { message: row.message, severityLevel: row.level === 'error' ? 'Error' : 'Warning' })
    case 'span': {
      const { name, id, trace } = row
      // A stage is no call to another service.
      const type = trace.spanId === undefined ? 'Dependency' : 'InProc'
      return as('RemoteDependency', { name, id, type, duration: timeSpan(row.ms), success: true, resultCode: '0' })
    }
  }
}

export function metricOf({ name, dimensions, count, sum, least, largest }: Point, at: number, sender: Sender): Envelope {
  const value = METRICS[name].kind === 'state' ? { value: sum, count: 1 } : { value: sum, count, min: least, max: largest }
  const fields = { metrics: [{ name, kind: 'Aggregation', ...value }], properties: dimensions }
  return envelope(sender, { at, trace: undefined, type: 'Metric', fields })
}

type Part = {
  readonly at: number
  readonly trace: (Omit<RowTrace, 'spanId'> & { readonly spanId: string | undefined }) | undefined
  readonly type: string
  readonly fields: object
}

function envelope({ instrumentationKey, role, instance }: Sender, { at, trace, type, fields }: Part): Envelope {
  return {
    ver: 1,
    name: `Microsoft.ApplicationInsights.${type}`,
    time: timeText(at),
    iKey: instrumentationKey,
    sampleRate: 100,
    tags: {
      'ai.cloud.role': role,
      'ai.cloud.roleInstance': instance,
      ...(trace === undefined ? {} : { 'ai.operation.id': trace.traceId }),
      ...(trace?.spanId === undefined ? {} : { 'ai.operation.parentId': trace.spanId }),
    },
    data: { baseType: `${type}Data`, baseData: { ver: 2, ...fields } },
  }
}

/** The ingestion refuses a row without a usable time. An exception here would stop the other rows of the request, too. */
function timeText(at: number): string {
  const date = new Date(at)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

/** A duration as `DAYS.HH:MM:SS.MMM`, without the days if there are none. */
function timeSpan(duration: number): string {
  const ms = Number.isFinite(duration) ? duration : 0
  const days = Math.floor(ms / DAY_MS)
  return `${days > 0 ? `${days}.` : ''}${new Date(ms % DAY_MS).toISOString().slice(11, 23)}`
}
