/** What a claim that is there has to hold: on a node that is up its pods, before that what the claim asks for. */
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
  /** Beside daemons, which each size has of its own. */
  readonly own: readonly Pod[]
  on(template: Template): Load
}

type Given = {
  /** There or on their way. */
  readonly pods: readonly Pod[]
  /** Where it is measured by the claim. */
  readonly spec: NodeClaimSpec | undefined
  readonly daemons: readonly Daemon[]
  readonly objects: ClusterSnapshot['objects']
}

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
  // Each of some thousand offerings of a pool asks for it.
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

/** A claim asks also for the least that daemons take on a size that it allows. */
function leastOverhead({ sizes }: Template, { requirements }: NodeClaimSpec): Resources {
  const allowed = requirementsFrom(requirements)
  const overheads = sizes.flatMap((size) => (size !== undefined && admittedOfferings(allowed, size.type).length > 0 ? [size.overhead] : []))
  const [first, ...others] = overheads
  return first === undefined ? NO_RESOURCES : others.reduce(minOf, first)
}

function without(requests: Resources, overhead: Resources): Resources {
  return Object.fromEntries(Object.entries(requests).map(([name, amount]) => [name, Math.max(0, amount - (overhead[name] ?? 0))]))
}
