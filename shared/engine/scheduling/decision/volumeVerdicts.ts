/** What volumes have to do with it that a pool makes no machine for a pod; named by their claims. */
import { namespaceOf, type ObjectKey, objectKey } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { describeConflict, describeRequirement, type RequirementConflict } from '../../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../../model/requirements.ts'
import type { Verdict } from './verdict.ts'

export function volumeClaimsOf(pod: Pod): readonly ObjectKey[] {
  const names = pod.volumes.flatMap((volume) => (volume.kind === 'claim' || volume.kind === 'ephemeral' ? [volume.claimName] : []))
  return [...new Set(names)].sort().map((name) => objectKey(namespaceOf(pod), name))
}

/** `persistentvolumeclaim default/data`, or the first of several. */
export function volumeClaimsText(claims: readonly ObjectKey[]): string {
  const shown = claims.slice(0, MOST_SAID).join(', ')
  return `${claims.length === 1 ? 'persistentvolumeclaim' : 'persistentvolumeclaims'} ${shown}${claims.length > MOST_SAID ? ', ...' : ''}`
}

const MOST_SAID = 3

/** Where the volumes can be used the pool makes no machines. */
export function volumesElsewhere(pod: Pod, refused: readonly RequirementConflict[]): Verdict {
  const said = refused.map((each) => describeConflict(each)).join('; ')
  const message = `its volumes are elsewhere (${volumeClaimsText(volumeClaimsOf(pod))}): ${said}`
  return { kind: 'labels', whose: 'volumes', labels: refused.map(({ key }) => key), message }
}

/** What the pod asks for, or what it and its volumes ask for, no machine at all can have. */
export function contradiction(pod: Pod, wanted: Requirements, own: Requirements): Verdict | undefined {
  const empty = [...own.values()].filter(isEmpty).map(({ key }) => key)
  if (empty.length > 0) {
    const message = `spec.nodeSelector and spec.affinity.nodeAffinity of the pod leave no value of ${empty.join(', ')}: no machine can meet both`
    return { kind: 'labels', whose: 'pods', labels: empty, message }
  }
  if (pod.volumes.length === 0) return undefined
  const torn = [...own.values()].filter((each) => !isEmpty(each) && isEmpty(wanted.get(each.key)))
  if (torn.length === 0) return undefined
  const asked = torn.map(describeRequirement).join(', ')
  const message = `${volumeClaimsText(volumeClaimsOf(pod))} cannot be used where the pod itself may run, since it asks for ${asked}`
  return { kind: 'labels', whose: 'volumes', labels: torn.map(({ key }) => key), message }
}

/** No value meets it. */
function isEmpty(requirement: Requirement | undefined): boolean {
  return requirement?.mustExist === true && !requirement.complement && requirement.values.length === 0
}
