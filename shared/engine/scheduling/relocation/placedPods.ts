/** Waiting pods that the plan of the same decision has placed on existing nodes. Among them are pods of buffers, whose room can move. */
import { byKey } from '../../../base/order.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import type { Batch } from '../model/batch.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PlacementProblem } from '../model/placementProblem.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { Share } from './boundReplicas.ts'

export type Sent = ReturnType<Provisioning['assigned']>['onExistingNodes']

export type PlacedPod = { readonly pod: Pod; readonly existingNode: ExistingNode; readonly podClass: PodClass }

/**
 * What leaves a machine: pods of one class on it, or room of a buffer. `host`: where these pods count for neighbours. Undefined if its pods ask for
 * more than it has.
 */
export type LeavingPods = {
  readonly podClass: PodClass
  readonly share: Share
  readonly host: ExistingNode | undefined
  readonly isRoom?: true
}

/** The room that buffers have on a machine. */
export type RoomOf = (machine: StateNode) => readonly LeavingPods[]

export function placedPods(
  { problem: { classes } }: { readonly problem: Pick<PlacementProblem, 'classes'> },
  sent: Sent,
): readonly PlacedPod[] {
  if (sent.length === 0) return []
  const classOf = new Map<string, PodClass>()
  for (const podClass of classes) for (const { uid } of podClass.pods()) classOf.set(uid, podClass)
  return [...sent].sort(byKey(({ pod: { uid } }) => uid)).flatMap(({ pod, existingNode }) => {
    const podClass = classOf.get(pod.uid)
    return podClass === undefined ? [] : [{ pod, existingNode, podClass }]
  })
}

export function roomOfBuffers(placed: readonly PlacedPod[], { isReal }: Pick<Batch, 'isReal'>): RoomOf {
  const rooms = new Map<string, readonly LeavingPods[]>()
  const ofBuffers = placed.filter(({ pod }) => !isReal(pod))
  for (const [name, onMachine] of Map.groupBy(ofBuffers, ({ existingNode }) => existingNode.label)) {
    rooms.set(
      name,
      [...Map.groupBy(onMachine, ({ podClass }) => podClass)].flatMap(([podClass, own]) => movingRoom(podClass, own)),
    )
  }
  return ({ name }) => rooms.get(name) ?? NONE
}

export function isOfPods({ isRoom }: LeavingPods): boolean {
  return isRoom !== true
}

function movingRoom(podClass: PodClass, own: readonly PlacedPod[]): readonly LeavingPods[] {
  const [first] = own
  if (first === undefined) return NONE
  const pods = own.map(({ pod }) => pod)
  return [{ podClass, share: { likeness: { pod: first.pod }, pods, counted: pods.length }, host: first.existingNode, isRoom: true }]
}

const NONE: readonly LeavingPods[] = []
