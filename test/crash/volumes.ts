import { type NodeName, uid } from '../../shared/model/ids.ts'
import type { Simulation } from './simulation.ts'

/** Longer than a termination waits for a node without pods, plus one run. */
const LINGERS_MS = 9_000

/**
 * The controllers of volumes. A node has an attached volume from its first pod on. The volume is detached a while after the node is being deleted and
 * its pods are gone. `cutOff` holds the nodes whose machine was deleted with the volume attached.
 */
export function createVolumes() {
  const emptySince = new Map<NodeName, number>()
  const cutOff = new Set<string>()
  const nameOf = (node: NodeName): string => `csi-${node}`

  function tick({ world: { objects, machines, clock } }: Simulation): void {
    const busy = new Set(objects.all('pod').map(({ nodeName }) => nodeName))
    for (const { name: node, meta } of objects.all('node')) {
      const name = nameOf(node)
      if (busy.has(node)) objects.put('volumeAttachment', { name, uid: uid(name), node, volumeName: `volume-of-${node}` })
      else if (meta.deletedAt !== undefined && !emptySince.has(node)) emptySince.set(node, clock.now())
    }
    for (const { name, node } of objects.all('volumeAttachment')) {
      if (machines.find(node)?.goneAt !== undefined) cutOff.add(node)
      if (clock.now() - (emptySince.get(node) ?? clock.now()) >= LINGERS_MS) objects.remove('volumeAttachment', name)
    }
  }

  return { tick, cutOff }
}
