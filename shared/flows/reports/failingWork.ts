import type { ClusterId, NodeClaimName } from '../../model/ids.ts'
import { Fault, type Problem, problem } from '../../model/problem.ts'
import type { WorkKey } from '../../model/work.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

/** What fails: the key of a cluster's work, or the events about machines. */
export type FailingWork = {
  readonly key: WorkKey | 'interruption'
  readonly cluster?: ClusterId
  readonly claim?: NodeClaimName
}

/** Says that work failed at every try: as an event that counts by key, and in the log. */
export function tellFailing(telemetry: Telemetry, { key, cluster, claim }: FailingWork, { code, message }: Problem): void {
  telemetry.event('work.failed', { cluster, key, errorCode: code })
  telemetry.error(`work on ${key} failed at every try: ${message}`, { cluster, claim, code })
}

/** The problem behind what work threw. A bug throws no problem. */
export function failureOf(thrown: unknown): Problem {
  return thrown instanceof Fault ? thrown.problem : problem('INTERNAL.FAILED', `a bug of Joiner: ${String(thrown)}`)
}
