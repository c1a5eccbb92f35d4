/** Volume claims of access mode ReadWriteOncePod. kube-scheduler refuses a pod on every node while another pod that has a node uses its claim. */
import type { Pod } from '../../../../model/pod.ts'
import { claimKeys } from '../../../pod/volumeClaims.ts'
import type { PodReplicas } from './podReplicas.ts'
import { byAge } from './queueOrder.ts'

export type OnceClaims = {
  /** Reports whether one pod at a time may use the claim. */
  readonly isOncePod: (claim: string) => boolean
  /** A pod with a node that uses the claim. Undefined if there is none. */
  readonly userOf: (claim: string) => Pod | undefined
}

/** The claim that a pod has to wait for, and the pod that has it, or gets it first. */
export type Awaited = { readonly claim: string; readonly user: Pod }

/** Returns a function that finds the claim that a pod has to wait for. Of several waiting pods, the oldest one gets a claim. */
export function awaitedClaims(replicas: readonly PodReplicas[], { isOncePod, userOf }: OnceClaims): (pod: Pod) => Awaited | undefined {
  const oldest = new Map<string, Pod>()
  const claimsOf = (pod: Pod): readonly string[] => claimKeys(pod).filter(isOncePod)
  for (const { pod: each, pods } of replicas) {
    for (const claim of isWaiting(each) ? claimsOf(each) : []) {
      oldest.set(claim, pods().reduce(older, oldest.get(claim) ?? each))
    }
  }
  return (pod) => {
    if (!isWaiting(pod)) return undefined
    for (const claim of claimsOf(pod)) {
      const user = userOf(claim) ?? oldest.get(claim)
      if (user !== undefined && user.uid !== pod.uid) return { claim, user }
    }
    return undefined
  }
}

/** A pod with a node has its claims already. */
function isWaiting({ nodeName, volumes }: Pod): boolean {
  return nodeName === undefined && volumes.length > 0
}

function older(first: Pod, second: Pod): Pod {
  return byAge(first, second) <= 0 ? first : second
}
