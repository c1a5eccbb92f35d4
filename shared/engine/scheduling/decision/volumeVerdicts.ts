/** Verdicts about volumes. The messages name volumes by their claims. */
import { namespaceOf, type ObjectKey, objectKey } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { describeConflict, describeRequirement, type RequirementConflict } from '../../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../../model/requirements.ts'
import type { Verdict } from './verdict.ts'

/** The PersistentVolumeClaims of the pod, sorted by name. */
export function volumeClaimsOf(pod: Pod): readonly ObjectKey[] {
  const names = pod.volumes.flatMap((volume) => (volume.kind === 'claim' || volume.kind === 'ephemeral' ? [volume.claimName] : []))
  return [...new Set(names)].sort().map((name) => objectKey(namespaceOf(pod), name))
}

/** The claims in words: `persistentvolumeclaim default/data`, or the first three of several. */
export function volumeClaimsText(claims: readonly ObjectKey[]): string {
  const shown = claims.slice(0, MOST_SAID).join(', ')
  return `${claims.length === 1 ? 'persistentvolumeclaim' : 'persistentvolumeclaims'} ${shown}${claims.length > MOST_SAID ? ', ...' : ''}`
}

const MOST_SAID = 3

/** The verdict of a NodePool that makes no machines where the volumes of the pod can be used. */
export function volumesElsewhere(pod: Pod, refused: readonly RequirementConflict[]): Verdict {
  const said = refused.map((each) => describeConflict(each)).join('; ')
  const message = `the volumes of the pod are elsewhere (${volumeClaimsText(volumeClaimsOf(pod))}): ${said}`
  return { kind: 'labels', whose: 'volumes', labels: refused.map(({ key }) => key), message }
}

/** The verdict on requirements of the pod, or of the pod and its volumes, that contradict each other. Undefined if some machine can meet them. */
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
  const message = `${volumeClaimsText(volumeClaimsOf(pod))} cannot be used where the pod itself may run, since the pod asks for ${asked}`
  return { kind: 'labels', whose: 'volumes', labels: torn.map(({ key }) => key), message }
}

/** Reports whether no value meets the requirement. */
function isEmpty(requirement: Requirement | undefined): boolean {
  return requirement?.mustExist === true && !requirement.complement && requirement.values.length === 0
}
