/** What kube-scheduler decides by about one pod, as one value: while it stays the same, another try has the same outcome. */
import { stableHash } from '../../../../base/stableHash.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { PersistentVolumeClaim } from '../../../../model/workloads.ts'
import { claimKeys } from '../../../pod/volumeClaims.ts'

export type VolumeObjects = Pick<ClusterSnapshot['objects'], 'persistentVolumeClaim' | 'persistentVolume' | 'storageClass'>

export type SchedulingInputs = {
  /** A hash of the spec of the pod, its claims, and their classes and volumes. The node that the scheduler chooses for a volume is no input. */
  readonly hashOf: (pod: Pod) => string
  /** Reports whether the scheduler has chosen a node for a volume of the pod that is not made yet. */
  readonly isAwaitingVolume: (pod: Pod) => boolean
}

/** Volumes are indexed when a pod first needs them. */
export function schedulingInputs(objects: VolumeObjects): SchedulingInputs {
  let index: ReturnType<typeof indexOf> | undefined
  const claimsOf = (pod: Pod) => {
    const { claims } = (index ??= indexOf(objects))
    return claimKeys(pod).flatMap((key) => claims.get(key) ?? [])
  }
  return {
    hashOf(pod) {
      if (pod.volumes.length === 0) return stableHash(specOf(pod))
      const claims = claimsOf(pod)
      const { volumes, classes } = (index ??= indexOf(objects))
      const sources = claims.map(({ volumeName = '', storageClassName = '' }) => [volumes.get(volumeName), classes.get(storageClassName)])
      return stableHash({ ...specOf(pod), claims: claims.map((claim) => ({ ...claim, selectedNode: undefined })), sources })
    },
    isAwaitingVolume: (pod) => claimsOf(pod).some(({ selectedNode, volumeName }) => selectedNode !== undefined && volumeName === undefined),
  }
}

function indexOf({ persistentVolumeClaim, persistentVolume, storageClass }: VolumeObjects) {
  return {
    claims: new Map<string, PersistentVolumeClaim>(persistentVolumeClaim.map((each) => [each.key, each])),
    volumes: new Map(persistentVolume.map((each) => [each.name, each])),
    classes: new Map(storageClass.map((each) => [each.name, each])),
  }
}

function specOf(pod: Pod): object {
  const { labels, requests, nodeSelector, requiredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity } = pod
  const { hostPorts, volumes, resourceClaims, schedulingGroup, priority, schedulerName } = pod
  const rules = { nodeSelector, requiredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity }
  return { labels, requests, ...rules, hostPorts, volumes, resourceClaims, schedulingGroup, priority, schedulerName }
}
