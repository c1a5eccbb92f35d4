/** Why an offering is not the machine of a node that pods run on: what stands in the way of the pods that are there now, not of those it was bought for. */
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { untolerated } from '../../../model/taint.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import type { Template } from '../model/catalog/template.ts'
import { requiredTermsOf } from '../model/pods/requiredTerms.ts'
import { volumeIndex } from '../model/pods/volumes.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { refusedBySize } from './refusedBySize.ts'
import type { StandingLoad } from './standingLoad.ts'
import { asksFor, notForSale, refusedByPool, taintsVerdict } from './whyNotForBin.ts'

/** `zone` is where the node is. */
export function whyNotNow(
  load: StandingLoad,
  zone: string | undefined,
  { objects, ...context }: Pick<DecisionContext, 'unavailable' | 'takenAt'> & Pick<ClusterSnapshot, 'objects'>,
): (offer: PoolOffering) => NotTaken {
  const { own, axes } = load
  const wishes = own.map(requiredTermsOf)
  const volumesOf = volumeIndex(objects)
  const places = own.flatMap((pod) => {
    const needs = volumesOf(pod)
    return 'alternatives' in needs ? [needs.alternatives] : []
  })
  const hasRules = own.some(hasNeighbourRules)
  return (offer) => {
    const { template, index, type, offering } = offer
    const machine = labelsOfMachine(type, offering)
    return (
      newTaintsOf(template, own) ??
      refusedByPool(offer, machine, template.sizes[index]) ??
      refusedBySize(load.on(template), template.sizes[index], axes) ??
      notMet('pods', wishes, machine) ??
      notMet('volumes', places, machine) ??
      notForSale(offer, context) ??
      (hasRules && offering.zone !== zone ? { kind: 'rules', label: LABEL.zone } : { kind: 'now', by: 'pods' })
    )
  }
}

/** Those that the pool got since the node was made: a soft one keeps nobody away. */
function newTaintsOf({ pool }: Template, own: readonly Pod[]): NotTaken | undefined {
  const hard = pool.template.taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
  return taintsVerdict(own.flatMap(({ tolerations }) => untolerated(hard, tolerations)))
}

/** The first pod that none of its alternatives lets on the machine. */
function notMet(whose: 'pods' | 'volumes', all: readonly (readonly Requirements[])[], machine: Requirements): NotTaken | undefined {
  for (const alternatives of all) {
    const lacking = alternatives.map((wanted) => overlapConflicts(machine, wanted).map(({ incoming }) => incoming))
    const [least] = lacking.sort((one, other) => one.length - other.length)
    if (least !== undefined && least.length > 0) return asksFor(whose, least)
  }
  return undefined
}

function hasNeighbourRules({ topologySpread, podAffinity, podAntiAffinity }: Pod): boolean {
  return (
    podAffinity.required.length + podAntiAffinity.required.length > 0 ||
    topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
  )
}
