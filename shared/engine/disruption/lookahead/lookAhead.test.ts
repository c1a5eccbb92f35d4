import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { pods } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import { fleetSnapshotOf } from '../../cluster/fleetSnapshot.ts'
import { lookAhead } from './lookAhead.ts'

type Objects = NonNullable<SnapshotShape['objects']>

function machines(count: number, podCount = 0): Objects {
  const names = Array.from({ length: count }, (_, index) => `default-n${index}`)
  return {
    node: names.map((claim) => node({ claim })),
    nodeClaim: names.map((name) => nodeClaim({ name })),
    pod: pods(podCount, { nodeName: nodeNameOf('default-n0'), phase: 'Running' }),
  }
}

function looksAhead(objects: Objects, rest: Omit<SnapshotShape, 'objects'> = {}, ending: readonly string[] = []): boolean {
  return outlookOf(objects, rest, ending) !== undefined
}

function outlookOf(objects: Objects, rest: Omit<SnapshotShape, 'objects'> = {}, ending: readonly string[] = []) {
  const simulateDecision = () => ({ actions: [], turn: undefined, places: new Map() })
  const planner = { simulateDecision, ending: new Set(ending), expecting: () => new Map(), relocate: undefined }
  return lookAhead(fleetSnapshotOf(snapshot({ ...rest, objects })), planner, [])
}

describe('moves are played out', () => {
  it.each<[sentence: string, objects: Objects, want: boolean]>([
    ['in a cluster of 32 nodes', machines(32), true],
    ['not in a larger one', machines(33), false],
    ['with a thousand pods', machines(2, 1_000), true],
    ['not with more', machines(2, 1_001), false],
    ['not while a machine is coming up', { ...machines(1), node: [node({ claim: 'default-n0', initialized: false })] }, false],
    [
      'not while a machine goes',
      { ...machines(1), nodeClaim: [nodeClaim({ name: 'default-n0', meta: { deletedAt: ago(SECOND) } })] },
      false,
    ],
  ])('%s', (_sentence, objects, want) => expect(looksAhead(objects)).toBe(want))

  it('not while a move is under way, nor while a machine is about to end', () => {
    expect(looksAhead(machines(2), { commands: [disruptionCommand([nodeClaim({ name: 'default-n0' })])] })).toBe(false)
    expect(looksAhead(machines(2), {}, ['default-n0'])).toBe(false)
  })

  it.each([
    [4, 1_000],
    [8, 500],
    [8, 100],
  ])('at most %i times in a cluster of %i pods, since each time costs as much as its pods', (most, podCount) => {
    expect(outlookOf(machines(2, podCount))?.most).toBe(most)
  })
})
