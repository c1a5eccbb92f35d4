/** Why an offering does not replace the machine of a node that is up. Only the pods that run there now count, not the pods that it was bought for. */
import { type ClusterSnapshot, type DecisionContext } from '../../../model/clusterSnapshot.ts'
import { LABEL } from '../../../model/labels.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { Pod } from '../../../model/pod.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { NO_RESOURCES, type Resources, subtract } from '../../../model/resources.ts'
import { labelsOfMachine } from '../../offering/usableOfferings.ts'
import { leastMissing, taintsVerdict } from '../decision/noClaim.ts'
import { overLimit, type Verdict } from '../decision/verdict.ts'
import { isWithin, limitsOf, type Usage } from '../model/catalog/limits.ts'
import type { Template } from '../model/catalog/template.ts'
import { requiredTermsOf } from '../model/pods/relaxation.ts'
import { volumeIndex } from '../model/pods/volumes.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import type { StandingLoad } from './standingLoad.ts'
import { asksFor, demotedVerdict, notForSale, refusedByPool, refusedByRoom } from './whyNotForBin.ts'

/** A function that returns the first reason why an offering does not replace the machine. `left`: what the limits of the NodePool leave without the machine. */
export function whyNotNow(
  load: StandingLoad,
  { zone, left }: { readonly zone: string | undefined; readonly left: Resources | undefined },
  { objects, ...context }: Pick<DecisionContext, 'unavailable' | 'demoted' | 'takenAt'> & Pick<ClusterSnapshot, 'objects'>,
): (offer: PoolOffering) => NotTaken {
  const { own, axes } = load
  const terms = own.map(requiredTermsOf)
  const volumesOf = volumeIndex(objects)
  const volumeTerms = own.flatMap((pod) => {
    const needs = volumesOf(pod)
    return 'alternatives' in needs ? [needs.alternatives] : []
  })
  const hasRules = own.some(hasNeighbourRules)
  return (offer) => {
    const { template, type, offering } = offer
    const machine = labelsOfMachine(type, offering)
    return (
      newTaintsOf(template, own) ??
      refusedByPool(offer, machine) ??
      notMet('pods', terms, machine) ??
      notMet('volumes', volumeTerms, machine) ??
      refusedByRoom(offer, load.on(template), axes) ??
      notForSale(offer, context) ??
      replacementLimit(offer, left) ??
      demotedVerdict(offer, context) ??
      (hasRules && offering.zone !== zone ? { kind: 'rules', label: LABEL.zone } : { kind: 'now', by: 'pods' })
    )
  }
}

/** The taints that the NodePool has now and the pods do not tolerate. Taints of effect PreferNoSchedule keep no pod away. */
function newTaintsOf({ pool }: Template, own: readonly Pod[]): NotTaken | undefined {
  return taintsVerdict(
    pool.template.taints.filter(({ effect }) => effect !== 'PreferNoSchedule'),
    own,
  )
}

/** The requirements of the first pod of which the machine meets no alternative. */
function notMet(whose: 'pods' | 'volumes', all: readonly (readonly Requirements[])[], machine: Requirements): NotTaken | undefined {
  for (const alternatives of all) {
    const missing = leastMissing(alternatives, (wanted) => overlapConflicts(machine, wanted))
    if (missing.length > 0)
      return asksFor(
        whose,
        missing.map(({ incoming }) => incoming),
      )
  }
  return undefined
}

function hasNeighbourRules({ topologySpread, podAffinity, podAntiAffinity }: Pod): boolean {
  return (
    podAffinity.required.length + podAntiAffinity.required.length > 0 ||
    topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
  )
}

/**
 * What the limits of the NodePool leave once the machine of this usage is gone. `used`: what all machines of the NodePool take. Undefined if the
 * NodePool has no limits.
 */
export function leftWithout(pool: NodePool, used: Resources, own: Usage | undefined): Resources | undefined {
  return limitsOf(pool, subtract(used, own?.capacity ?? NO_RESOURCES)).left
}

/** The limit that a machine of the instance type would exceed. `left`: what the limits leave once the machine that it replaces is gone. */
export function replacementLimit({ template, index }: PoolOffering, left: Resources | undefined): Verdict | undefined {
  const size = template.sizes[index]
  if (size === undefined || isWithin(size.type.capacity, left)) return undefined
  const verdict = overLimit([size], { limits: { left } })
  return verdict.kind === 'limit' ? { ...verdict, isReplacement: true } : verdict
}
