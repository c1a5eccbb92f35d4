import type { ClusterId } from '../../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { Fault, type Problem, problem } from '../../model/problem.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

/** What work is about: the decisions of a cluster, a claim, or a message that cannot be read. `name`: of the claim. */
export type WorkKey = {
  readonly kind: 'decide' | 'claim' | 'interruption' | 'message'
  readonly cluster?: ClusterId
  readonly name?: string
}

/** Says that work failed at every try: as an event that counts by key, and in the log. */
export function tellFailing(telemetry: Telemetry, { kind, cluster, name }: WorkKey, { code, message }: Problem): void {
  const key = name === undefined ? kind : `${kind}/${name}`
  telemetry.event('work.failed', { cluster, key, errorCode: code })
  telemetry.error(`work on ${key} failed at every try: ${message}`, { cluster, claim: name, code })
}

/** The problem behind what work threw. A bug throws no problem. */
export function failureOf(thrown: unknown): Problem {
  return thrown instanceof Fault ? thrown.problem : problem('INTERNAL.FAILED', `a bug of Joiner: ${String(thrown)}`)
}

export function keyOf(message: Doorbell | ClaimMessage): WorkKey {
  const { cluster } = message
  return message.kind === 'doorbell' ? { kind: 'decide', cluster } : { kind: 'claim', cluster, name: message.claim }
}
