/** The input besides the machine itself from which existing nodes are made. The same object is returned while nothing in it has changed. */
import { isSame } from '../../../../base/isSame.ts'
import type { Uid } from '../../../../model/ids.ts'
import type { InstanceType } from '../../../../model/instanceType.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { DaemonSet } from '../../../../model/workloads.ts'
import { overlaidTypes, type TypesOf } from '../../../overlay/overlaidTypes.ts'
import type { DecisionContext } from '../../snapshot/decisionContext.ts'
import type { OtherObjects } from '../../snapshot/otherObjects.ts'
import { type Daemon, daemonsOf } from '../catalog/daemons.ts'
import type { Attachable, ExistingNodeInput } from '../nodes/existingNodeOf.ts'

type InstanceTypes = DecisionContext['instanceTypes']

export function existingNodeInputs(
  newestOf: (daemonSet: Uid) => Pod | undefined,
  attachable: Attachable,
): (objects: OtherObjects, types: InstanceTypes) => ExistingNodeInput {
  const typesFor = rememberedTypes()
  const daemonsFor = rememberedDaemons(newestOf)
  let last: ExistingNodeInput | undefined
  return (objects, types) => {
    const typesOf = typesFor(objects, types)
    const daemons = daemonsFor(objects.daemonSet)
    if (last?.typesOf !== typesOf || last.daemons !== daemons) last = { typesOf, daemons, attachable }
    return last
  }
}

function rememberedTypes(): (objects: OtherObjects, types: InstanceTypes) => TypesOf {
  let last: { readonly objects: OtherObjects; readonly types: InstanceTypes; readonly typesOf: TypesOf } | undefined
  return (objects, types) => {
    if (last === undefined || !isSameTypes(last.types, types) || !isSameOverlays(last.objects, objects)) {
      last = { objects, types, typesOf: overlaidTypes({ objects, instanceTypes: types }) }
    }
    return last.typesOf
  }
}

/** Reports whether the overlays have the same effect. Without overlays a pool has the types of its NodeClass. */
function isSameOverlays(first: OtherObjects, second: OtherObjects): boolean {
  if (first.nodeOverlay !== second.nodeOverlay) return false
  return first.nodeOverlay.length === 0 || first.nodePool === second.nodePool
}

function isSameTypes(first: InstanceTypes, second: InstanceTypes): boolean {
  return first === second || (first.size === second.size && [...first].every(([name, types]) => isSameList(types, second.get(name) ?? [])))
}

function isSameList(first: readonly InstanceType[], second: readonly InstanceType[]): boolean {
  return first === second || (first.length === second.length && first.every((type, index) => type === second[index]))
}

/** Remembers the daemons. Their pods come and go with every machine, and ask for the same. */
function rememberedDaemons(newestOf: (daemonSet: Uid) => Pod | undefined): (sets: readonly DaemonSet[]) => readonly Daemon[] {
  let last: { readonly sets: readonly DaemonSet[]; readonly asked: readonly unknown[]; readonly daemons: readonly Daemon[] } | undefined
  return (sets) => {
    const asked = sets.map(({ uid, pod }) => {
      const { requests, hostPorts } = newestOf(uid) ?? pod
      return [requests, hostPorts]
    })
    if (last === undefined || last.sets !== sets || !isSame(last.asked, asked)) {
      last = { sets, asked, daemons: daemonsOf(sets, newestOf) }
    }
    return last.daemons
  }
}
