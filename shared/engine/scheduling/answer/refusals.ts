import { byKey } from '../../../base/order.ts'
import type { Action, Reason } from '../../../model/decision.ts'
import type { Pod } from '../../../model/pod.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { Axes } from '../amounts.ts'
import type { Shortage } from '../catalog/minValues.ts'
import type { Plan, Postponement } from '../plan.ts'
import type { Refusal } from '../pods/admission.ts'
import type { PodClass } from '../pods/podClass.ts'
import { explainPool } from './explain.ts'

/** Pods that got no place, for one and the same reason. */
export type Refused = { readonly pods: readonly Pod[]; readonly why: Why }

/** Postponed: the same pods may be placed by the next decision, though nothing else has changed. */
type Why = Refusal & { readonly per?: readonly Reason[]; readonly isPostponed?: true }

/** From least to most telling: a pool that came further says more about what to change. */
const TELLING: readonly ProblemCode[] = [
  'POOL.STATIC',
  'NODECLASS.NOT_FOUND',
  'NODECLASS.NOT_READY',
  'POOL.NOT_READY',
  'POOL.NO_INSTANCE_TYPE',
  'SCHEDULING.TAINT',
  'SCHEDULING.REQUIREMENT',
  'SCHEDULING.OFFERING',
  'AZURE.QUOTA.SPOT',
  'AZURE.QUOTA.FAMILY',
  'AZURE.QUOTA.REGION',
  'SCHEDULING.VOLUME',
  'SCHEDULING.PORT',
  'SCHEDULING.RESOURCES',
  'SCHEDULING.RESERVATION',
  'POOL.LIMIT',
  'SCHEDULING.MIN_VALUES',
  'SCHEDULING.ANTI_AFFINITY',
  'SCHEDULING.AFFINITY',
  'SCHEDULING.SPREAD',
]

/** Reasons that one message spells out. */
const MOST_SAID = 4
/** Pods alike that carry the Event themselves. */
const MOST_TOLD = 50
const AMOUNTS = /\d+(m|Mi)?/g

export function refuseClass(podClass: PodClass, pods: readonly Pod[], plan: Plan, refusedPools: readonly Reason[], axes: Axes): Refused {
  const postponed = plan.postponed.get(podClass)
  if (postponed !== undefined) return { pods, why: { ...POSTPONED[postponed], isPostponed: true } }
  const per = [...ofPools(plan.starts.map((start) => explainPool(start, podClass, plan, axes))), ...refusedPools]
  if (per.length === 0) return { pods, why: { code: 'POOL.NONE', message: 'there is no nodepool; create one' } }
  const told = per.reduce(moreTelling)
  return { pods, why: { code: told.code, message: inWords(per), per } }
}

const POSTPONED: { readonly [Code in Postponement]: Refusal } = {
  'SCHEDULING.RESERVATION': {
    code: 'SCHEDULING.RESERVATION',
    message: 'reserved capacity that it may use is held for claims on their way; it is looked at again when they have settled',
    silent: true,
  },
  'SCHEDULING.DEADLINE': {
    code: 'SCHEDULING.DEADLINE',
    message: 'the decision ended before it was looked at; it is looked at in the next one',
  },
}

/** A pool that appears more than once, for its reservations and without them, says one thing. */
function ofPools(reasons: readonly Reason[]): readonly Reason[] {
  return [...Map.groupBy(reasons, ({ subject }) => subject.name).values()].map((own) => own.reduce(moreTelling))
}

/** Of equals the later: a pool's reservations come before the rest of it. */
function moreTelling(best: Reason, each: Reason): Reason {
  return TELLING.indexOf(each.code) >= TELLING.indexOf(best.code) ? each : best
}

/** The most telling first; pools that say the same say it once. */
function inWords(per: readonly Reason[]): string {
  const byMessage = new Map<string, string[]>()
  for (const { subject, message } of [...per].sort((one, other) => TELLING.indexOf(other.code) - TELLING.indexOf(one.code))) {
    byMessage.set(message, [...(byMessage.get(message) ?? []), subject.name])
  }
  const said = [...byMessage].map(([message, pools]) => `${pools.length === 1 ? 'nodepool' : 'nodepools'} ${pools.join(', ')}: ${message}`)
  const more = said.length > MOST_SAID ? [`and ${said.length - MOST_SAID} more reasons of other nodepools`] : []
  return [...said.slice(0, MOST_SAID), ...more].join('; ')
}

export function refuseShortage(pods: readonly Pod[], pool: string, shortages: readonly Shortage[]): Refused {
  const lacks = shortages.map(({ key, wanted, had }) => `needs ${wanted} values of ${key}, had ${had}`).join('; ')
  return { pods, why: { code: 'SCHEDULING.MIN_VALUES', message: `nodepool ${pool}: cut to the most sizes a claim names, it ${lacks}` } }
}

/** One a pod, by name. */
export function refusalReasons(refused: readonly Refused[]): readonly Reason[] {
  return refused
    .flatMap(({ pods, why: { code, message, per } }) =>
      pods.map((pod): Reason => ({ code, subject: { kind: 'pod', name: pod.key }, message, ...(per === undefined ? {} : { per }) })),
    )
    .sort(byKey((each) => each.subject.name))
}

/** One a pod, up to a number of pods that are alike; pods that still run elsewhere and pods that opted out get none. */
export function refusalEvents(refused: readonly Refused[]): readonly Action[] {
  const groups = new Map<string, { readonly pods: Pod[]; readonly why: Refused['why'] }>()
  for (const { pods, why } of refused) {
    const waiting = why.silent ? [] : pods.filter((pod) => pod.nodeName === undefined)
    const group = groups.get(`${why.code} ${why.message}`) ?? { pods: [], why }
    group.pods.push(...waiting)
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
    // Numbers change with every machine that comes or goes, and say nothing new.
    key: `${code} ${message.replaceAll(AMOUNTS, '0')}`,
  } as const
  return { kind: 'publish', event } as const
}
