import { addAll } from '../../../base/lists.ts'
import { byKey } from '../../../base/order.ts'
import type { Action, Reason } from '../../../model/decision.ts'
import type { Pod } from '../../../model/pod.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { Axes } from '../amounts.ts'
import type { Shortage } from '../catalog/minValues.ts'
import type { Plan, Postponement } from '../plan.ts'
import type { Refusal } from '../pods/admission.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { poolVerdict } from './poolVerdict.ts'
import { codeOf, fieldsOf, type Verdict } from './verdict.ts'
import { verdictText } from './verdictText.ts'

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
  const variant = podClass.variants.at(-1)
  const asked = askedOf(plan, variant)
  const per = poolVerdicts(podClass, variant, { ...plan, starts: asked }, refusedPools, axes).map(reasonOf)
  plan.work.verdicts += asked.length
  if (per.length === 0) return { pods, why: { code: 'POOL.NONE', message: 'there is no nodepool; create one' } }
  const told = per.reduce(moreTelling)
  const unasked = plan.starts.length - asked.length
  const more = unasked === 0 ? '' : `; ${unasked} more nodepools were not asked, since too many pods have no place`
  return { pods, why: { code: told.code, message: inWords(per) + more, per } }
}

/** Verdicts of one decision beyond which only some pools are asked, those first that the labels leave. */
const MOST_VERDICTS = 100_000
const FEW_POOLS = 3

function askedOf({ starts, startsFor, work }: Plan, variant: Variant | undefined): Plan['starts'] {
  if (work.verdicts + starts.length <= MOST_VERDICTS || starts.length <= FEW_POOLS) return starts
  const left = variant === undefined ? [] : startsFor(variant.constraint)
  return (left.length > 0 ? left : starts).slice(0, FEW_POOLS)
}

/** A pool, and why it makes no machine for some pod. */
export type PoolVerdict = { readonly pool: string; readonly verdict: Verdict }

/** Of every pool the first stage that refuses the class with these wishes, once the plan has been made. */
export function poolVerdicts(
  podClass: PodClass,
  variant: Variant | undefined,
  plan: Plan,
  refusedPools: readonly Reason[],
  axes: Axes,
): readonly PoolVerdict[] {
  const asking = { podClass, plan, axes }
  const own = plan.starts.map((start) => ({
    pool: start.combination.template.pool.name,
    verdict: poolVerdict(start, variant, asking),
  }))
  const out = refusedPools.map(({ subject, code, message, fields }) => ({
    pool: subject.name,
    verdict: { kind: 'pool', code, message, ...(fields === undefined ? {} : { fields }) } as const,
  }))
  return [...ofPools(own), ...out]
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
    message: 'reserved capacity that it may use is held for claims on their way; it is looked at again when they have settled',
    silent: true,
  },
  'SCHEDULING.DEADLINE': {
    code: 'SCHEDULING.DEADLINE',
    message: 'the decision ended before it was looked at; it is looked at in the next one',
  },
}

/** A pool that appears more than once, for its reservations and without them, says one thing. Of equals the later: the rest of it. */
function ofPools(verdicts: readonly PoolVerdict[]): readonly PoolVerdict[] {
  const rank = ({ verdict }: PoolVerdict): number => TELLING.indexOf(codeOf(verdict))
  return [...Map.groupBy(verdicts, ({ pool }) => pool).values()].map((own) =>
    own.reduce((best, each) => (rank(each) >= rank(best) ? each : best)),
  )
}

/** Of equals the later. */
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
    // Numbers change with every machine that comes or goes, and say nothing new.
    key: `${code} ${message.replaceAll(AMOUNTS, '0')}`,
  } as const
  return { kind: 'publish', event } as const
}
