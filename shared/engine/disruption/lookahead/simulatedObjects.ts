/**
 * The cluster as it would be once a decision is carried out: new claims are machines, pods run in their planned places, and ended machines are gone.
 */

import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { Action, CreateClaim } from '../../../model/decision.ts'
import { instanceNameOf, type NodeName, nodeName, providerId, uid } from '../../../model/ids.ts'
import { allocatableOfType } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { epochMs } from '../../../model/units.ts'
import { planLaunch } from '../../launch/planLaunch.ts'
import { claimsMovedBy } from '../candidates/endedClaims.ts'

type Objects = ClusterSnapshot['objects']
type Context = Omit<ClusterSnapshot, 'objects'>
type Machine = { readonly claim: NodeClaim; readonly node: Node }

/** The decision that is carried out. `places`: the node of each pod that waited, by the key of the pod. */
type Carried = { readonly actions: readonly Action[]; readonly places: ReadonlyMap<string, NodeName> }

/** Undefined if no offering is available for some new claim. */
export function simulatedObjects(objects: Objects, { actions, places }: Carried, context: Context): Objects | undefined {
  const gone = new Set<string>(actions.flatMap(claimsMovedBy))
  const made: Machine[] = []
  const onMade = new Map<string, NodeName>()
  for (const action of actions) {
    if (action.kind !== 'createClaim') continue
    const machine = machineOf(action, context)
    if (machine === undefined) return undefined
    made.push(machine)
    for (const { key } of action.pods) onMade.set(key, machine.node.name)
  }
  const nodes = new Set(objects.nodeClaim.filter(({ name }) => gone.has(name)).map(({ status }) => status.nodeName))
  const nodeClaim = [...objects.nodeClaim.filter(({ name }) => !gone.has(name)), ...made.map(({ claim }) => claim)]
  const node = [...objects.node.filter(({ name }) => !nodes.has(name)), ...made.map((each) => each.node)]
  return { ...objects, node, nodeClaim, pod: objects.pod.flatMap((pod) => placed(pod, places.get(pod.key) ?? onMade.get(pod.key), nodes)) }
}

/** The time of everything that is simulated: it is old enough and has been quiet for long enough. */
const LONG_AGO = epochMs(0)

function placed(pod: Pod, place: NodeName | undefined, gone: ReadonlySet<string | undefined>): readonly Pod[] {
  const { unschedulableSince: _, nodeName: __, scheduledAt: ___, startedAt: ____, deletedAt: _____, ...free } = pod
  if (place !== undefined) return [{ ...free, nodeName: place, phase: 'Running', scheduledAt: LONG_AGO, startedAt: LONG_AGO }]
  if (pod.nodeName === undefined || !gone.has(pod.nodeName)) return [pod]
  if (pod.owner?.kind === 'DaemonSet' || pod.owner?.kind === 'Node') return []
  return [{ ...free, phase: 'Pending', unschedulableSince: LONG_AGO }]
}

function machineOf({ draft }: CreateClaim, { instanceTypes, unavailable, takenAt, settings, demoted }: Context): Machine | undefined {
  const { name, spec, annotations } = draft
  const types = instanceTypes.get(spec.nodeClassRef.name) ?? []
  const [launched] = planLaunch(draft, types, unavailable, takenAt, demoted).candidates
  if (launched === undefined) return undefined
  const own = nodeName(instanceNameOf(name, settings.machineNames))
  const meta = { uid: uid(name), annotations, createdAt: LONG_AGO, generation: 1, resourceVersion: '', finalizers: [] }
  const labels = { ...launched.labels, [LABEL.nodeClass]: spec.nodeClassRef.name, ...draft.labels }
  const up = { ...labels, [LABEL.hostname]: own, [LABEL.registered]: 'true', [LABEL.initialized]: 'true' }
  const shared = { capacity: launched.instanceType.capacity, allocatable: allocatableOfType(launched.instanceType) }
  const status = { ...shared, conditions: ['Launched', 'Registered', 'Initialized'].map(holds), providerId: providerId(own), nodeName: own }
  return {
    claim: { name, meta: { ...meta, labels }, spec: { ...spec, expireAfter: 'Never' }, status },
    node: {
      ...shared,
      name: own,
      meta: { ...meta, labels: up },
      providerId: status.providerId,
      taints: spec.taints,
      unschedulable: false,
      conditions: [holds('Ready')],
    },
  }
}

function holds(type: string): NodeClaim['status']['conditions'][number] {
  return { type, status: 'True', reason: type, message: '', lastTransitionAt: LONG_AGO, observedGeneration: 1 }
}
