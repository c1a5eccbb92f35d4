/** What is sold, in a form that is quick to search: thousands of offerings have a few different sets of labels. */
import type { InstanceType } from '../../../../model/instanceType.ts'
import type { Requirement, Requirements } from '../../../../model/requirements.ts'
import type { UnavailableOffering } from '../../../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../../../model/units.ts'
import { usableOfferings } from '../../../offering/usableOfferings.ts'
import { type Bits, bitsOf } from '../quantities/bits.ts'

/** The offerings with these labels. */
export type OfferingKind = {
  readonly requirements: Requirements
  /** The types that are sold so. */
  readonly types: Bits
}

/**
 * Pods wait this long for a zone without a node that Azure refuses now. kube-scheduler knows only zones of nodes, and would bind the pods in other
 * zones, where they would stay. So a refusal that passes soon must not change where they go. A refusal that lasts longer must not keep them waiting.
 */
const SOON = durationMs(10 * 60_000)

/** The refusals that last. */
export function lastingRefusals(unavailable: readonly UnavailableOffering[], now: EpochMs): readonly UnavailableOffering[] {
  const soon = later(now, SOON)
  return unavailable.filter((each) => each.until > soon)
}

/** The offerings that can be bought now or soon. Not those that are not sold, that have no quota, or whose refusal lasts. */
export function offeringKinds(
  types: readonly { readonly index: number; readonly type: InstanceType }[],
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
  shared: (list: readonly Requirement[]) => Requirements,
): readonly OfferingKind[] {
  const lasting = lastingRefusals(unavailable, now)
  const sold = new Map<Requirements, Set<number>>()
  for (const { type, index } of types) {
    for (const { requirements } of usableOfferings(type, lasting, now)) {
      const labels = shared(requirements)
      const members = sold.get(labels) ?? new Set<number>()
      sold.set(labels, members)
      members.add(index)
    }
  }
  return [...sold].map(([requirements, members]) => ({ requirements, types: bitsOf(types.length, (index) => members.has(index)) }))
}
