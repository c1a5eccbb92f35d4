/** What the machine of a claim that is there must have room for: the pods of a node that is ready, before that the requests of the claim. */
import { ownValue } from '../../../base/ownValue.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { NodeClaimSpec } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { requirementsFrom } from '../../../model/requirements.ts'
import { minOf, NO_RESOURCES, type Resources, sum } from '../../../model/resources.ts'
import { admittedOfferings } from '../../offering/admission.ts'
import { isDaemonPod } from '../../pod/podPredicates.ts'
import type { Load } from '../decision/room.ts'
import type { Daemon } from '../model/catalog/daemons.ts'
import type { Template } from '../model/catalog/template.ts'
import { daemonAntiAffinity } from '../model/neighbours/daemonAntiAffinity.ts'
import { attachedIndex } from '../model/pods/volumes.ts'
import { type Axes, axesOf, DISK_DRIVER } from '../model/quantities/amounts.ts'

export type StandingLoad = {
  readonly axes: Axes
  /** The pods without pods of DaemonSets: another instance type may run other DaemonSets. */
  readonly own: readonly Pod[]
  /** The load on a machine of the NodePool. */
  on(template: Template): Load
}

type Given = {
  /** Pods on the node, and pods that the plan places there. */
  readonly pods: readonly Pod[]
  /** The claim, if its requests count. Undefined if the pods count. */
  readonly spec: NodeClaimSpec | undefined
  readonly daemons: readonly Daemon[]
  readonly objects: ClusterSnapshot['objects']
}

/** The load on the axes that the pods or the claim ask for. */
export function standingLoad({ pods, spec, daemons, objects }: Given): StandingLoad {
  const own = pods.filter((pod) => !isDaemonPod(pod))
  const requests = spec?.requests ?? sum(own.map((pod) => pod.requests))
  const axes = axesOf([requests], [DISK_DRIVER])
  const attachedBy = attachedIndex(objects)
  const disks = [...new Set(own.flatMap((pod) => attachedBy(pod, DISK_DRIVER)))]
  const attached = new Map([[DISK_DRIVER, disks]])
  const apartFrom = daemonAntiAffinity(daemons, objects.namespace)
  const rest = { ports: own.flatMap((pod) => pod.hostPorts), pods: own.map((pod) => ({ apartFrom: apartFrom(pod) })) }
  const measured = (template: Template): Load => {
    const asked = spec === undefined ? requests : without(requests, leastOverhead(template, spec))
    return { ...rest, total: axes.amountsOf(asked, attached) }
  }
  // A NodePool has some thousand offerings, and each of them asks for the load.
  const known = new Map<Template, Load>()
  return {
    axes,
    own,
    on(template) {
      const load = known.get(template) ?? measured(template)
      known.set(template, load)
      return load
    },
  }
}

/** The part of the claim's requests that is for DaemonSets: the least that they request on any instance type that the claim allows. */
function leastOverhead({ sizes }: Template, { requirements }: NodeClaimSpec): Resources {
  const allowed = requirementsFrom(requirements)
  const overheads = sizes.flatMap((size) => (size !== undefined && admittedOfferings(allowed, size.type).length > 0 ? [size.overhead] : []))
  const [first, ...others] = overheads
  return first === undefined ? NO_RESOURCES : others.reduce(minOf, first)
}

function without(requests: Resources, overhead: Resources): Resources {
  return Object.fromEntries(Object.entries(requests).map(([name, amount]) => [name, Math.max(0, amount - (ownValue(overhead, name) ?? 0))]))
}
