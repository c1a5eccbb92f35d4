import {
  type AzureMonitorExporterOptions,
  AzureMonitorLogExporter,
  AzureMonitorMetricExporter,
  AzureMonitorTraceExporter,
} from '@azure/monitor-opentelemetry-exporter'
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import { AggregationTemporality, DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { METRICS } from '../../model/metrics.ts'
import { type Answer, sentAs } from './answer.ts'
import type { EventRow, Exporting, LineRow, RowTrace, Sent, SpanRow } from './exported.ts'
import type { Point } from './series.ts'

export type AzureOptions = {
  readonly connectionString: string
  /** The identity that sends. Absent: the connection string is enough. */
  readonly credential?: AzureMonitorExporterOptions['credential']
  /** The name of the app. `instance` names this process of it. */
  readonly role: string
  readonly instance: string
  /** Replaces the HTTP client of the platform. */
  readonly httpClient?: AzureMonitorExporterOptions['httpClient']
}

const SCOPE = { name: 'joiner' }

/**
 * Azure's exporters, without a provider of the SDK. Rows are built here in the form that the exporters read, so that Joiner itself controls the
 * queue, its bound and the retries. This file and its imports are loaded on demand.
 */
export function createAzureExporting(options: AzureOptions, now: () => number): Exporting {
  silenceTheExporter()
  const resource = resourceFromAttributes({ 'service.name': options.role, 'service.instance.id': options.instance })
  const heard: { last: Answer | undefined } = { last: undefined }
  const exporterOptions = exporterOptionsOf(options, heard)
  const logs = new AzureMonitorLogExporter(exporterOptions)
  const metrics = new AzureMonitorMetricExporter(exporterOptions)
  const traces = new AzureMonitorTraceExporter(exporterOptions)

  /** Sends one request. Only one runs at a time, so the last answer belongs to it. */
  async function sent(count: number, send: (done: () => void) => Promise<void>): Promise<Sent> {
    if (count === 0) return { again: [], refused: 0 }
    heard.last = undefined
    await send(() => undefined).catch(() => undefined)
    return sentAs(count, heard.last, now())
  }

  return {
    async rows(rows) {
      const places = [...rows.keys()]
      const spans = rows.flatMap((row, place) => (row.kind === 'span' ? [{ row, place }] : []))
      const others = rows.flatMap((row, place) => (row.kind === 'span' ? [] : [{ row, place }]))
      const records = others.map(({ row }) => ({ ...recordOf(row), resource }))
      const first = await sent(others.length, (done) => logs.export(records, done))
      const again = first.again.map((index) => others[index]?.place ?? 0)
      const isToWait = again.length > 0 || first.retryAfter !== undefined
      if (isToWait) return { ...first, again: places.filter((place) => again.includes(place) || rows[place]?.kind === 'span') }
      const readable = spans.map(({ row }) => ({ ...spanOf(row), resource }))
      const second = await sent(spans.length, (done) => traces.export(readable, done))
      return { ...second, again: second.again.map((index) => spans[index]?.place ?? 0), refused: first.refused + second.refused }
    },
    points: (points) => sent(points.length, (done) => metrics.export({ resource, ...metricsOf(points, now()) }, done)),
  }
}

/**
 * Stops the exporter from sending statistics about itself to Microsoft, and from adding a row about the process to the spans of each request. Only
 * environment variables can do that.
 */
function silenceTheExporter(): void {
  process.env['APPLICATION_INSIGHTS_NO_STATSBEAT'] = 'true'
  process.env['APPLICATIONINSIGHTS_SDKSTATS_DISABLED'] = 'true'
  process.env['APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED'] = 'true'
}

type PipelinePolicy = NonNullable<AzureMonitorExporterOptions['additionalPolicies']>[number]

function exporterOptionsOf(
  { connectionString, credential, httpClient }: AzureOptions,
  heard: { last: Answer | undefined },
): AzureMonitorExporterOptions {
  // The exporter reports only success or failure. The answer has the rows that were accepted, and when to retry.
  const listener: PipelinePolicy = {
    position: 'perCall',
    policy: {
      name: 'joinerAnswer',
      async sendRequest(request, next) {
        const response = await next(request)
        heard.last = { status: response.status, body: response.bodyAsText ?? '', retryAfter: response.headers.get('retry-after') }
        return response
      },
    },
  }
  return {
    connectionString,
    disableOfflineStorage: true,
    retryOptions: { maxRetries: 0 },
    additionalPolicies: [listener],
    ...(credential === undefined ? {} : { credential }),
    ...(httpClient === undefined ? {} : { httpClient }),
  }
}

type ReadableSpan = Parameters<AzureMonitorTraceExporter['export']>[0][number]

/** A span for the exporter. Its kind is `INTERNAL`, because a stage is no call to another service. */
function spanOf({ at, ms, name, id, trace: { traceId, spanId }, properties }: SpanRow): Omit<ReadableSpan, 'resource'> {
  return {
    name,
    kind: SpanKind.INTERNAL,
    spanContext: () => contextOf({ traceId, spanId: id }),
    ...(spanId === undefined ? {} : { parentSpanContext: contextOf({ traceId, spanId }) }),
    startTime: timeOf(at),
    endTime: timeOf(at + ms),
    duration: timeOf(ms),
    status: { code: SpanStatusCode.UNSET },
    attributes: properties,
    links: [],
    events: [],
    ended: true,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** The context of a span. Every row is sampled, because half a trace explains nothing. */
function contextOf(trace: RowTrace): ReturnType<ReadableSpan['spanContext']> {
  return { ...trace, traceFlags: TraceFlags.SAMPLED }
}

function recordOf(row: EventRow | LineRow): Omit<ReadableLogRecord, 'resource'> {
  const common = {
    hrTime: timeOf(row.at),
    hrTimeObserved: timeOf(row.at),
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    ...(row.trace === undefined ? {} : { spanContext: contextOf(row.trace) }),
  }
  if (row.kind === 'line') {
    const severityNumber = row.level === 'error' ? SeverityNumber.ERROR : SeverityNumber.WARN
    return { ...common, body: row.message, severityNumber, attributes: row.properties }
  }
  return {
    ...common,
    attributes: {
      ...row.properties,
      'microsoft.custom_event.name': row.name,
      'microsoft.custom_measurements': JSON.stringify(row.measurements),
    },
  }
}

function metricsOf(points: readonly Point[], at: number): Omit<ResourceMetrics, 'resource'> {
  return { scopeMetrics: [{ scope: SCOPE, metrics: points.map((point) => metricOf(point, timeOf(at))) }] }
}

function metricOf({ name, dimensions, count, sum, least, largest }: Point, at: HrTime): MetricData {
  const descriptor = { name, description: '', unit: METRICS[name].unit, valueType: 1 }
  const common = { descriptor, aggregationTemporality: AggregationTemporality.DELTA }
  const point = { startTime: at, endTime: at, attributes: dimensions }
  if (METRICS[name].kind === 'state') {
    return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: [{ ...point, value: sum }] }
  }
  const value = { count, sum, min: least, max: largest, buckets: { boundaries: [], counts: [count] } }
  return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: [{ ...point, value }] }
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)]
}
