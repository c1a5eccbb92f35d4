import { addAll, byKey } from '../../../base/lists.ts'
import type { Action, Reason } from '../../../model/decision.ts'
import type { NodePoolName } from '../../../model/ids.ts'
import type { LeftOutSizes } from '../../../model/instanceType.ts'
import type { Pod } from '../../../model/pod.ts'
import { askedByPod, leftOutText } from '../../offering/possibleSizes.ts'
import type { Plan, Postponement } from '../candidates/plan.ts'
import type { RefusedPool } from '../model/catalog/pools.ts'
import type { Refusal } from '../model/pods/admission.ts'
import type { PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { spentOnVerdicts } from '../model/quantities/work.ts'
import type { NoClaim } from './claimForm.ts'
import { noClaimRefusal } from './noClaim.ts'
import { poolVerdicts } from './poolVerdicts.ts'
import type { Verdict } from './verdict.ts'
import { inVerdictOrder, type PoolVerdict } from './verdictOrder.ts'
import { codeOf, fieldsOf, remedyOf, verdictText } from './verdictTable.ts'

/** Pods without a place, and the reason that they share. */
export type Refused = { readonly pods: readonly Pod[]; readonly why: Why }

/** `per`: a Reason for each NodePool. `isPostponed`: the next decision may place the pods though nothing else has changed. */
type Why = Refusal & { readonly per?: readonly Reason[]; readonly isPostponed?: true }

/** The most reasons that one message names. */
const MOST_SAID = 4
/** The most pods with the same reason that get an Event each. */
const MOST_TOLD = 50
const AMOUNTS = /\d+(\.\d+)?(Gi)?/g

/** Why the plan has no place for these pods of the class: postponed, or refused by each NodePool. */
export function refuseClass(
  podClass: PodClass,
  pods: readonly Pod[],
  plan: Plan,
  refusedPools: readonly RefusedPool[],
  axes: Axes,
  leftOut: LeftOutSizes | undefined,
): Refused {
  const postponed = plan.postponed.get(podClass)
  if (postponed !== undefined) return { pods, why: { ...POSTPONED[postponed], isPostponed: true } }
  const relaxedPod = podClass.relaxedPods.at(-1)
  const asked = askedOf(plan, relaxedPod)
  const verdicts = poolVerdicts(podClass, relaxedPod, { ...plan, poolOptions: asked }, refusedPools, axes)
  plan.work.verdicts += asked.length
  const [told] = inVerdictOrder(verdicts)
  if (told === undefined) return { pods, why: { code: 'POOL.NONE', message: 'there is no nodepool; to do: create one' } }
  const unasked = plan.poolOptions.length - asked.length
  const more = unasked === 0 ? '' : `; ${unasked} more nodepools were not checked, since too many pods have no place`
  const sizes = pods[0] === undefined ? '' : leftOutText(askedByPod(pods[0]), leftOut)
  const remedy = remedyOf(told.verdict)
  const toDo = remedy === undefined ? '' : `; to do: ${remedy}`
  return { pods, why: { code: codeOf(told.verdict), message: inWords(verdicts) + sizes + more + toDo, per: verdicts.map(reasonOf) } }
}

/**
 * The share of the decision's budget that verdicts may cost. Beyond it at most three NodePools are asked: NodePools that admit the labels of the
 * pod, or the first ones if there are none.
 */
const MOST_ASKED = 0.05
const FEW_POOLS = 3

function askedOf({ poolOptions, poolOptionsFor, work, budget }: Plan, relaxedPod: RelaxedPod | undefined): Plan['poolOptions'] {
  if (spentOnVerdicts(work) <= MOST_ASKED * budget.most || poolOptions.length <= FEW_POOLS) return poolOptions
  const left = relaxedPod === undefined ? [] : poolOptionsFor(relaxedPod.constraint)
  return (left.length > 0 ? left : poolOptions).slice(0, FEW_POOLS)
}

function reasonOf({ pool, verdict }: PoolVerdict): Reason {
  const fields = fieldsOf(verdict)
  return {
    code: codeOf(verdict),
    subject: { kind: 'nodePool', name: pool },
    message: verdictText(verdict),
    ...(fields === undefined ? {} : { fields }),
  }
}

const POSTPONED: { readonly [Code in Postponement]: Refusal } = {
  'SCHEDULING.RESERVATION': {
    code: 'SCHEDULING.RESERVATION',
    message:
      'other nodeclaims of this decision hold the reservation that the pod may use; to do: wait; the next decision looks at the pod again',
    silent: true,
  },
  'SCHEDULING.DEADLINE': {
    code: 'SCHEDULING.DEADLINE',
    message: 'the decision reached its limit of work before it looked at the pod; to do: wait; the next decision looks at the pod',
  },
}

/** The verdicts as one message, the most telling first. NodePools with the same message are named together. */
function inWords(verdicts: readonly PoolVerdict[]): string {
  const byMessage = new Map<string, string[]>()
  for (const { pool, verdict } of inVerdictOrder(verdicts)) {
    const message = verdictText(verdict)
    byMessage.set(message, [...(byMessage.get(message) ?? []), pool])
  }
  const said = [...byMessage].map(([message, pools]) => `${pools.length === 1 ? 'nodepool' : 'nodepools'} ${pools.join(', ')}: ${message}`)
  const more = said.length > MOST_SAID ? [`and ${said.length - MOST_SAID} more reasons of other nodepools`] : []
  return [...said.slice(0, MOST_SAID), ...more].join('; ')
}

/** Why pods got no claim although a bin holds them. */
export function refuseBin(pods: readonly Pod[], pool: NodePoolName, noClaim: NoClaim): Refused {
  const verdict: Verdict = { kind: 'claim', ...noClaimRefusal(noClaim) }
  return { pods, why: { code: codeOf(verdict), message: `nodepool ${pool}: ${verdictText(verdict)}; to do: ${remedyOf(verdict)}` } }
}

/** Why pods got no claim although there is a size for them: their subnet has no address for another machine. */
export function refuseAddress(pods: readonly Pod[], subnet: string): Refused {
  const message = `subnet ${subnet} has no address for another machine; to do: use a larger subnet in spec.vnetSubnetID of the aksnodeclass, or let nodes end`
  return { pods, why: { code: 'AZURE.SUBNET_FULL', message, isPostponed: true } }
}

/** One Reason for each pod, sorted by its key. */
export function refusalReasons(refused: readonly Refused[]): readonly Reason[] {
  return refused
    .flatMap(({ pods, why: { code, message, per } }) =>
      pods.map((pod): Reason => ({ code, subject: { kind: 'pod', name: pod.key }, message, ...(per === undefined ? {} : { per }) })),
    )
    .sort(byKey((each) => each.subject.name))
}

/** Events `FailedScheduling`, at most 50 for one reason. Pods that have a node, and pods whose refusal is silent, get none. */
export function refusalEvents(refused: readonly Refused[]): readonly Action[] {
  const groups = new Map<string, { readonly pods: Pod[]; readonly why: Refused['why'] }>()
  for (const { pods, why } of refused) {
    const waiting = why.silent ? [] : pods.filter((pod) => pod.nodeName === undefined)
    const group = groups.get(`${why.code} ${why.message}`) ?? { pods: [], why }
    addAll(group.pods, waiting)
    groups.set(`${why.code} ${why.message}`, group)
  }
  return [...groups.values()]
    .flatMap(({ pods, why }) => {
      const told = [...pods].sort(byKey((pod) => pod.key)).slice(0, MOST_TOLD)
      return told.map((pod, index) => failedScheduling(pod, index === MOST_TOLD - 1 ? pods.length - MOST_TOLD : 0, why))
    })
    .sort(byKey((each) => each.event.subject.name))
}

function failedScheduling(pod: Pod, others: number, { code, message }: Refused['why']) {
  const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'pod' : 'pods'} like it)`
  const event = {
    subject: { kind: 'pod', name: pod.key },
    uid: pod.uid,
    type: 'Warning',
    reason: 'FailedScheduling',
    message: `Failed to schedule pod, ${message}${more} (${code})`,
    // Amounts change with each node that comes or goes. Another amount alone is no new Event.
    key: `${code} ${message.replaceAll(AMOUNTS, '0')}`,
  } as const
  return { kind: 'publish', event } as const
}
