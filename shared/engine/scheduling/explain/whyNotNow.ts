/** Why an offering is not the machine of a node that pods run on: what stands in the way of the pods that are there now, not of those it was bought for. */
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { subtract, sum } from '../../../model/resources.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import { isDaemonPod } from '../../pod/podPredicates.ts'
import { requiredTermsOf } from '../model/pods/requiredTerms.ts'
import { volumeIndex } from '../model/pods/volumes.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { asksFor, notForSale, refusedByPool } from './whyNotForBin.ts'
import { tooSmallFor } from './whyNotForClaim.ts'

/** `pods` are there or on their way; `zone` is where the node is. */
export function whyNotNow(
  pods: readonly Pod[],
  zone: string | undefined,
  { objects, ...context }: Pick<DecisionContext, 'unavailable' | 'takenAt'> & Pick<ClusterSnapshot, 'objects'>,
): (offer: PoolOffering) => NotTaken {
  const requests = sum(pods.map((each) => each.requests))
  const own = pods.filter((pod) => !isDaemonPod(pod))
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
      refusedByPool(offer, machine, template.sizes[index]) ??
      tooSmallFor(requests, subtract(type.capacity, type.overhead)) ??
      notMet('pods', wishes, machine) ??
      notMet('volumes', places, machine) ??
      notForSale(offer, context) ??
      (hasRules && offering.zone !== zone ? { kind: 'rules', label: LABEL.zone } : { kind: 'now' })
    )
  }
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
