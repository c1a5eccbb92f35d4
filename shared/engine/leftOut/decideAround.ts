/**
 * A decision about the cluster without the objects that it fails with. Such a failure is a bug of Joiner. One object must not keep all others from
 * being decided about.
 */
import { addAll } from '../../base/lists.ts'
import { subjectOf } from '../../model/change.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Action, Decision, LeftOut, Reason } from '../../model/decision.ts'
import type { Uid } from '../../model/ids.ts'
import { durationMs, later } from '../../model/units.ts'
import { type Cautious, cautious, withoutTaking } from './cautious.ts'
import { type FailingMember, failingIn } from './failing.ts'
import { attempt, type Member, withMembers } from './members.ts'

/** The next decision without a change of the cluster. A decision that searches for failing objects costs many times as much as others. */
const AGAIN_AFTER = durationMs(60_000)

/** With pods that have a place out of the way, a decision goes on to other parts, which may fail as well. */
const MOST_ROUNDS = 3

type Decide = (part: ClusterSnapshot) => Decision

/** `decide` decides about a part of the snapshot, and throws if it fails. `failure`: how it failed with the whole snapshot. */
export function decideAround(snapshot: ClusterSnapshot, decide: Decide, failure: unknown): Decision {
  const { decided, takesNone, failing } = around(snapshot, decide, failure)
  return telling(takesNone ? withoutTaking(decided) : decided, failing, snapshot)
}

/** The part of the snapshot that can be decided about, and the objects that are left out of it. */
export function partAround(
  snapshot: ClusterSnapshot,
  decide: Decide,
  failure: unknown,
): Pick<Around, 'part'> & { readonly leftOut: readonly LeftOut[] } {
  const { part, failing } = around(snapshot, decide, failure)
  return { part, leftOut: failing.map(asLeftOut) }
}

type Around = Cautious & { readonly decided: Decision; readonly failing: readonly FailingMember[] }

function around(snapshot: ClusterSnapshot, decide: Decide, failure: unknown): Around {
  const failing: FailingMember[] = []
  let now: Cautious = { part: snapshot, takesNone: false }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = failingIn(now.part, decide)
    if (found === undefined || found.failing.length === 0) break
    addAll(failing, found.failing)
    now = cautious(snapshot, withMembers(now.part, found.kept), failing)
    const decided = attempt(() => decide(now.part))
    if (decided !== undefined) return { ...now, decided, failing }
  }
  throw failure
}

function asLeftOut({ kind, name, failure }: FailingMember): LeftOut {
  return { kind, name, failure }
}

function telling(decision: Decision, failing: readonly FailingMember[], { takenAt }: Pick<ClusterSnapshot, 'takenAt'>): Decision {
  const told = failing.flatMap(tell)
  const again = later(takenAt, AGAIN_AFTER)
  return {
    ...decision,
    actions: [...decision.actions, ...told.map(({ action }) => action)],
    reasons: [...decision.reasons, ...told.map(({ reason }) => reason)],
    wakeAt: decision.wakeAt === undefined || decision.wakeAt > again ? again : decision.wakeAt,
    leftOut: failing.map(asLeftOut),
  }
}

function tell(member: FailingMember): readonly { readonly action: Action; readonly reason: Reason }[] {
  const { kind, name } = member
  const subject = subjectOf(kind, name)
  if (subject === undefined) return []
  const uid = attempt(() => uidOf(member))
  const message = leftOutText(member)
  const event = {
    subject,
    ...(uid === undefined ? {} : { uid }),
    type: 'Warning',
    reason: kind === 'pod' ? 'FailedScheduling' : 'PlanningFailed',
    message: `${message} (${CODE})`,
  } as const
  return [{ action: { kind: 'publish', event }, reason: { code: CODE, subject, message } }]
}

/** What people read about an object that is left out. */
export function leftOutText({ failure }: Pick<LeftOut, 'failure'>): string {
  return `joiner left it out of its decision, since planning fails with it: ${failure}; to do: report it, and change or delete the object`
}

const CODE = 'INTERNAL.LEFT_OUT'

function uidOf({ value }: Member): Uid | undefined {
  if ('uid' in value) return value.uid
  return 'meta' in value ? value.meta.uid : undefined
}
