import { ownValue } from '../../base/ownValue.ts'
import type { Change } from '../../model/change.ts'
import type { NodePoolName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { RegistrationOutcome } from '../../model/registrationOutcome.ts'

/** The number of results that the health of a pool is judged by. Each claim counts once, with its last result. */
const KEPT = 4
/** The reason for a failed registration, by the condition reason of the claim before it is given up. */
const GIVEN_UP: { readonly [reason: string]: string } = {
  LaunchTimeout: 'LaunchTimeout',
  RegistrationTimeout: 'RegistrationFailed',
  InitializationTimeout: 'RegistrationFailed',
}

/** The registration results of the last claims of each pool, as far as they are in the log that this process read. */
export interface RegistrationOutcomes {
  /** Notes that a version of an object replaced another. */
  note(before: Change | undefined, after: Change): void
  /** Returns the results of a pool, oldest first. */
  of(pool: NodePoolName): readonly RegistrationOutcome[]
}

/** A change of a NodePool drops its results, and a change of a NodeClass drops all results: the change may have fixed what failed. */
export function createRegistrationOutcomes(): RegistrationOutcomes {
  const outcomes = new Map<string, readonly RegistrationOutcome[]>()
  return {
    note(before, after) {
      if (after.kind === 'nodePool' && isAnother(before, after)) outcomes.delete(after.key)
      if (after.kind === 'nodeClass' && isAnother(before, after)) outcomes.clear()
      const claim = before === undefined ? undefined : claimOf(before)
      const outcome = claim && outcomeOf(claim, after)
      const pool = claim?.meta.labels[LABEL.nodePool]
      if (outcome === undefined || pool === undefined) return
      const others = (outcomes.get(pool) ?? []).filter(({ uid }) => uid !== outcome.uid)
      outcomes.set(pool, [...others, outcome].slice(-KEPT))
    },
    of: (pool) => outcomes.get(pool) ?? [],
  }
}

function outcomeOf(before: NodeClaim, after: Change): RegistrationOutcome | undefined {
  const now = claimOf(after)
  const { uid, createdAt } = before.meta
  const whose = { claim: before.name, uid, createdAt }
  if (before.meta.deletedAt !== undefined) return undefined
  if (now !== undefined && !isRegistered(before) && isRegistered(now)) return { joined: true, ...whose }
  const isEnding = now === undefined || now.meta.deletedAt !== undefined
  const said = (now ?? before).status.conditions.find(({ status, reason }) => status !== 'True' && ownValue(GIVEN_UP, reason) !== undefined)
  return isEnding && said
    ? { joined: false, ...whose, reason: ownValue(GIVEN_UP, said.reason) ?? said.reason, message: said.message }
    : undefined
}

function isRegistered({ status }: NodeClaim): boolean {
  return status.conditions.some((condition) => condition.type === 'Registered' && condition.status === 'True')
}

function claimOf(change: Change): NodeClaim | undefined {
  return change.op === 'put' && change.kind === 'nodeClaim' ? change.object : undefined
}

/** Reports whether the spec changed, or the object is a new one with an old name. */
function isAnother(before: Change | undefined, after: Change): boolean {
  if (after.op !== 'put' || before?.op !== 'put') return true
  const [one, other] = [before.object, after.object]
  if (!('meta' in one) || !('meta' in other)) return false
  return one.meta.uid !== other.meta.uid || one.meta.generation !== other.meta.generation
}
