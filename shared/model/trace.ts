import { stableHash } from '../base/stableHash.ts'
import type { ClusterId, NodeClaimName } from './ids.ts'
import { ANNOTATION } from './labels.ts'
import type { Meta } from './meta.ts'
import type { SpanName } from './telemetryContract.ts'
import type { EpochMs } from './units.ts'

/** The way of one machine from its pod to Ready, as a W3C `traceparent`: 32 digits of the trace, 16 of the stage that all others are children of. */
export type TraceParent = { readonly traceId: string; readonly spanId: string }

/** The stage that a trace begins with. */
const FIRST: SpanName = 'pending'

/** Of a claim that was decided. The same whoever asks, and how often. */
export function traceOf(cluster: ClusterId, claim: NodeClaimName, decidedAt: EpochMs): TraceParent {
  const traceId = `${stableHash({ cluster, claim, decidedAt })}${stableHash({ claim, cluster, half: 2, decidedAt })}`
  return { traceId, spanId: spanIdOf(traceId, FIRST) }
}

/** A stage that is told twice has one id. */
export function spanIdOf(traceId: string, name: SpanName): string {
  return stableHash({ traceId, name })
}

export function printTraceParent({ traceId, spanId }: TraceParent): string {
  return `00-${traceId}-${spanId}-01`
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** Undefined where there is none, or what is no `traceparent`: a trace is worth no error. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  const [, traceId, spanId] = TRACE_PARENT.exec(text ?? '') ?? []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}

/** The trace that a claim carries. One that no decision made has none. */
export function traceIn({ meta }: { readonly meta: Pick<Meta, 'annotations'> }): TraceParent | undefined {
  return parseTraceParent(meta.annotations[ANNOTATION.traceParent])
}
