import { stableHash } from '../base/stableHash.ts'
import type { ClusterId, NodeClaimName } from './ids.ts'
import { ANNOTATION, type Meta } from './labels.ts'
import type { SpanName } from './telemetryContract.ts'
import type { EpochMs } from './units.ts'

/**
 * The trace of one machine from its pod to Ready, as in a W3C `traceparent`: 32 digits of the trace and 16 of the span that all others are children
 * of.
 */
export type TraceParent = { readonly traceId: string; readonly spanId: string }

/** The first span of a trace. */
const FIRST: SpanName = 'pending'

/** Returns the trace of a claim that a decision made. Every process computes the same trace. */
export function traceOf(cluster: ClusterId, claim: NodeClaimName, decidedAt: EpochMs): TraceParent {
  const traceId = `${stableHash({ cluster, claim, decidedAt })}${stableHash({ claim, cluster, half: 2, decidedAt })}`
  return { traceId, spanId: spanIdOf(traceId, FIRST) }
}

/** Returns the id of a span. A span that is sent twice has one id. */
export function spanIdOf(traceId: string, name: SpanName): string {
  return stableHash({ traceId, name })
}

export function printTraceParent({ traceId, spanId }: TraceParent): string {
  return `00-${traceId}-${spanId}-01`
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** Parses a `traceparent`. Undefined if there is none or it is invalid, since a broken trace must not cause an error. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  const [, traceId, spanId] = TRACE_PARENT.exec(text ?? '') ?? []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}

/** Returns the trace that a claim carries. Undefined if no decision made the claim. */
export function traceIn({ meta }: { readonly meta: Pick<Meta, 'annotations'> }): TraceParent | undefined {
  return parseTraceParent(meta.annotations[ANNOTATION.traceParent])
}
