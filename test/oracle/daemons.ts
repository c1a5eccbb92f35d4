/** The resources and ports that DaemonSets take of a machine before any other pod. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { HostPort, Pod } from '../../shared/model/pod.ts'
import type { Requirements } from '../../shared/model/requirements.ts'
import { NO_RESOURCES, type Resources, sum } from '../../shared/model/resources.ts'
import { type Taint, untolerated } from '../../shared/model/taint.ts'
import { type Algebra, NO_LABELS_UNDEFINED } from './algebra.ts'
import type { Machine } from './machines.ts'
import type { Quirks } from './oracleAnswer.ts'
import { alternativesOf, labelRequirements, strictRequirements } from './podNeeds.ts'
import { SOFT_TAINTS } from './relax.ts'

/** The overhead of the DaemonSets that would run on a size. Sizes with the same DaemonSets share a group. */
export type DaemonGroup = { readonly overhead: Resources; readonly ports: readonly HostPort[] }

export const NO_DAEMONS: DaemonGroup = { overhead: NO_RESOURCES, ports: [] }

/** One pod for each DaemonSet: the node rules of the template with the requests and host ports of the newest pod. */
export function daemonPods({ objects }: ClusterSnapshot): readonly Pod[] {
  return objects.daemonSet
    .filter((set) => set.pod.resourceClaims.length === 0)
    .map((set) => {
      const own = objects.pod.filter((pod) => pod.owner?.kind === 'DaemonSet' && pod.owner.uid === set.uid)
      const [newest] = [...own].sort((first, second) => second.createdAt - first.createdAt || (second.uid > first.uid ? 1 : -1))
      return newest === undefined ? set.pod : { ...set.pod, requests: newest.requests, hostPorts: newest.hostPorts }
    })
}

export function groupOnNewMachine(
  daemons: readonly Pod[],
  pool: { readonly requirements: Requirements; readonly taints: readonly Taint[] },
  size: Requirements,
  algebra: Algebra,
  wellKnown: ReadonlySet<string>,
): DaemonGroup {
  const landing = daemons.filter(
    (pod) =>
      untolerated(pool.taints, [...pod.tolerations, SOFT_TAINTS]).length === 0 &&
      alternativesOf(pod, algebra).some(
        (wanted) => algebra.compatible(pool.requirements, wanted, wellKnown) && algebra.overlaps(size, wanted),
      ),
  )
  if (landing.length === 0) return NO_DAEMONS
  return { overhead: sum(landing.map((pod) => pod.requests)), ports: landing.flatMap((pod) => pod.hostPorts) }
}

/** The requests of the DaemonSet pods that are still to come to a machine. Never below zero. */
export function missingOn(machine: Machine, daemons: readonly Pod[], algebra: Algebra, quirks: Quirks): Resources {
  // These labels are set by the time DaemonSet pods come to the node.
  const coming = quirks === 'fixed' && machine.claim !== undefined ? { [LABEL.registered]: 'true', [LABEL.initialized]: 'true' } : {}
  const labels = labelRequirements({ [LABEL.hostname]: machine.name, ...machine.labels, ...coming })
  const landing = daemons.filter((pod) => {
    const terms = quirks === 'upstream' ? [strictRequirements(pod, algebra)] : alternativesOf(pod, algebra)
    const bears = quirks === 'upstream' ? pod.tolerations : [...pod.tolerations, SOFT_TAINTS]
    return (
      untolerated(machine.taints, bears).length === 0 && terms.some((wanted) => algebra.compatible(labels, wanted, NO_LABELS_UNDEFINED))
    )
  })
  const expected = sum(landing.map((pod) => pod.requests))
  const present = sum(machine.pods.filter((pod) => pod.owner?.kind === 'DaemonSet').map((pod) => pod.requests))
  return Object.fromEntries(Object.entries(expected).map(([name, amount]) => [name, Math.max(0, amount - (ownValue(present, name) ?? 0))]))
}
