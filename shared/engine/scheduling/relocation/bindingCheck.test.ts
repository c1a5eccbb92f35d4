import { expect, it } from 'vitest'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod, pods } from '../../../../test/builders/pod.ts'
import { resources } from '../../../../test/builders/resources.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Resources } from '../../../model/resources.ts'
import { loadPlanning } from '../planningState.ts'
import type { Relocation } from './relocation.ts'

/** What a node has for pods. */
const ROOM_CPUS = 15
const SMALL = { cpus: 0.1, memoryGib: 0.1 }

/** A relocation that may close the nodes `goes`, and places their pods on as many nodes without pods as `staying` says. */
function relocation(goes: Readonly<Record<string, readonly ReturnType<typeof pod>[]>>, staying: number) {
  const names = [...Object.keys(goes), ...Array.from({ length: staying }, (_, at) => `stays-${at}`)]
  const sizes = Object.fromEntries(names.map((name) => [name, resources(ROOM_CPUS, 60, { pods: 110 })]))
  return relocationOf(sizes, Object.values(goes).flat(), Object.keys(goes))
}

/** A relocation on nodes of these sizes. It may close the nodes `going`. */
function relocationOf(sizes: Readonly<Record<string, Resources>>, pods: readonly Pod[], going: readonly string[]) {
  const names = Object.keys(sizes)
  const given = snapshot({
    objects: {
      node: Object.entries(sizes).map(([claim, allocatable]) => node({ claim, allocatable })),
      nodeClaim: Object.entries(sizes).map(([name, allocatable]) => nodeClaim({ name, status: { allocatable } })),
      pod: pods,
      nodePool: [nodePool({})],
    },
  })
  const planning = loadPlanning(given.objects)
  const byName = new Map(names.map((name) => [name, [...planning.fleet(given).all()].filter(({ claim }) => claim?.name === name)]))
  const machinesOf = (some: readonly string[]) => some.flatMap((name) => byName.get(name) ?? [])
  const open = planning.relocate(given, { machines: machinesOf(going), places: machinesOf(names), withHeldPods: [] })
  return { open, close: (...some: readonly string[]) => open.close(machinesOf(some)) }
}

const smallOn = (name: string, count: number) => pods(count, { name: `${name}-small`, ...SMALL, nodeName: nodeNameOf(name) })
const largeOn = (name: string, cpus: number) => [pod({ name: `${name}-large`, cpus, nodeName: nodeNameOf(name) })]

/** Whether the planned pods have places, the number of classes without a place in some order, and how it is known if there are none. */
function outcomeOf(trial: ReturnType<ReturnType<typeof relocation>['close']>, open: Relocation) {
  const isPlaced = trial.unplaced().length === 0
  const unbound = trial.unbound().size
  if (unbound === 0) trial.keep()
  return { isPlaced, unbound, proofs: open.proofs() }
}

it('a wave of more than 200 pods is followed: small pods take the room of large ones', () => {
  const goes = {
    ...Object.fromEntries([0, 1, 2].map((at) => [`small-${at}`, smallOn(`small-${at}`, 90)])),
    ...Object.fromEntries([0, 1, 2].map((at) => [`large-${at}`, largeOn(`large-${at}`, 9)])),
  }
  const { open, close } = relocation(goes, 4)
  expect(outcomeOf(close(...Object.keys(goes)), open)).toEqual({ isPlaced: true, unbound: 1, proofs: [] })
})

it('a wave of more than 200 pods is followed: all pods bind where large pods have room to spare', () => {
  const goes = { ...Object.fromEntries([0, 1, 2].map((at) => [`small-${at}`, smallOn(`small-${at}`, 90)])), large: largeOn('large', 9) }
  const { open, close } = relocation(goes, 5)
  expect(outcomeOf(close(...Object.keys(goes)), open)).toEqual({ isPlaced: true, unbound: 0, proofs: ['followed'] })
})

it('pods that may take each other’s place need no further check', () => {
  const { open, close } = relocation({ a: smallOn('a', 90), b: smallOn('b', 90), c: smallOn('c', 90) }, 3)
  expect(outcomeOf(close('a', 'b', 'c'), open)).toEqual({ isPlaced: true, unbound: 0, proofs: ['interchangeable'] })
})

it('pods that could not fill the nodes that stay need no further check', () => {
  const { open, close } = relocation({ a: [...smallOn('a', 20), ...largeOn('a', 1)] }, 30)
  expect(outcomeOf(close('a'), open)).toEqual({ isPlaced: true, unbound: 0, proofs: ['ample'] })
})

it('a node without pods needs no check', () => {
  const { open, close } = relocation({ a: [] }, 1)
  expect(outcomeOf(close('a'), open)).toEqual({ isPlaced: true, unbound: 0, proofs: ['noPods'] })
})

it('a move that is kept without a check is told', () => {
  const { open, close } = relocation({ a: smallOn('a', 1), b: smallOn('b', 1) }, 1)
  close('a').keep()
  outcomeOf(close('b'), open)
  expect(open.proofs()).toEqual(['unchecked', 'interchangeable'])
})

it.each([
  { what: 'draws a light pod to the node where a heavy pod must go', cpus: 3.75, unbound: 1 },
  { what: 'draws no light pod from a node that is much emptier', cpus: 8, unbound: 0 },
])('the scheduler’s preference for nodes in balance $what', ({ cpus, unbound }) => {
  const [large, small] = [resources(15.9, 63, { pods: 110 }), resources(cpus, 8, { pods: 110 })]
  const own = [
    // More of the CPU than of the memory is used already. A pod with little memory makes less of a difference here than on an empty node.
    pod({ name: 'running', cpus: 10.65, memoryGib: 13.4, nodeName: nodeNameOf('large') }),
    pod({ name: 'light', cpus: 3, memoryGib: 0.06, nodeName: nodeNameOf('goes') }),
    pod({ name: 'heavy', cpus: 3, memoryGib: 13, nodeName: nodeNameOf('goes') }),
  ]
  const { open, close } = relocationOf({ goes: large, large, small }, own, ['goes'])
  expect(outcomeOf(close('goes'), open)).toMatchObject({ isPlaced: true, unbound })
})
