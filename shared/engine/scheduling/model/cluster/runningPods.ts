/** Counts of the pods that run on nodes, and their anti-affinity terms. */
import { byKey } from '../../../../base/order.ts'
import type { NodeName } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import { claimKeys } from '../../../pod/volumeClaims.ts'
import type { MachineIndex } from '../../snapshot/machineIndex.ts'
import { createInverseAntiAffinity, type InverseAntiAffinity } from '../topology/inverseAntiAffinity.ts'
import { createLabelCounts, type LabelCounts } from '../topology/labelCounts.ts'

export interface RunningPods {
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
  namespacesChanged(): void
  /** Says that the machine of the node is of another kind than before. */
  kindChanged(node: NodeName): void
  labelCounts(): LabelCounts
  inverseAntiAffinity(): InverseAntiAffinity
  /** The number of running pods that mount the volume claim. */
  mountsOf(claim: string): number
  /** The first running pod by name that mounts the volume claim. */
  userOf(claim: string): Pod | undefined
}

export function createRunningPods(machines: MachineIndex, namespaces: () => readonly Namespace[]): RunningPods {
  const mounts = new Map<string, Set<Pod>>()
  let inverseAntiAffinity = createInverseAntiAffinity(namespaces)
  // Undefined until asked for: a decision about pods without affinity or spread rules does not need the counts.
  let counts: LabelCounts | undefined

  function every(visit: (pod: Pod, node: NodeName) => void): void {
    for (const { name } of machines.nodes.values()) for (const pod of machines.podsOn(name)) visit(pod, name)
  }

  function mount(pod: Pod): void {
    for (const claim of claimKeys(pod)) mounts.set(claim, (mounts.get(claim) ?? new Set()).add(pod))
  }

  function unmount(pod: Pod): void {
    for (const claim of claimKeys(pod)) {
      const users = mounts.get(claim)
      users?.delete(pod)
      if (users?.size === 0) mounts.delete(claim)
    }
  }

  return {
    add(pod, node) {
      if (pod.podAntiAffinity.required.length > 0) inverseAntiAffinity.add(pod, node)
      if (pod.deletedAt === undefined) counts?.add(pod, node)
      if (pod.volumes.length > 0) mount(pod)
    },
    remove(pod, node) {
      if (pod.podAntiAffinity.required.length > 0) inverseAntiAffinity.remove(pod, node)
      if (pod.deletedAt === undefined) counts?.remove(pod, node)
      if (pod.volumes.length > 0) unmount(pod)
    },
    namespacesChanged() {
      if (!inverseAntiAffinity.asksNamespaces()) return
      const made = createInverseAntiAffinity(namespaces)
      every((pod, node) => made.add(pod, node))
      inverseAntiAffinity = made
    },
    kindChanged(node) {
      if (counts !== undefined) for (const pod of machines.podsOn(node)) counts.kindChanged(pod)
    },
    labelCounts() {
      if (counts !== undefined) return counts
      const made = createLabelCounts()
      every((pod, node) => {
        if (pod.deletedAt === undefined) made.add(pod, node)
      })
      counts = made
      return made
    },
    inverseAntiAffinity: () => inverseAntiAffinity,
    mountsOf: (claim) => mounts.get(claim)?.size ?? 0,
    userOf: (claim) => [...(mounts.get(claim) ?? [])].sort(byKey(({ key }) => key))[0],
  }
}
